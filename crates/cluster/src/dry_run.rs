//! What the server would do.

use std::collections::HashMap;

use futures_util::{StreamExt, TryStreamExt, stream};
use kelson_model::ObjectId;
use kelson_plan::{DryRun, Listener, Question, Refusal};

use crate::read::is_final;
use crate::request::{Request, path};
use crate::{Cluster, Error};

impl Cluster {
    /// Asks for dry runs, as many at once as the connection allows. What is refused is an answer like any other.
    ///
    /// # Errors
    ///
    /// Fails where the cluster cannot be reached at all.
    pub async fn dry_run(
        &self,
        questions: Vec<Question>,
        field_manager: &str,
        listener: &dyn Listener,
    ) -> Result<HashMap<ObjectId, DryRun>, Error> {
        let asked =
            questions.into_iter().map(|question| self.ask(question, field_manager, listener));
        let answers = stream::iter(asked).buffer_unordered(self.parallel()).try_collect().await;
        answers.map_err(|refusal| Error::Refused {
            what: "ask the cluster for dry runs".to_owned(),
            refusal,
        })
    }

    async fn ask(
        &self,
        question: Question,
        field_manager: &str,
        listener: &dyn Listener,
    ) -> Result<(ObjectId, DryRun), Refusal> {
        let would = async {
            let request = request(&question, field_manager)?;
            self.send(&request, listener).await?.node()
        };
        match would.await {
            Ok(node) => Ok((question.id, DryRun::would(node, field_manager))),
            Err(refusal) if is_final(&refusal) => Err(refusal),
            Err(refusal) => Ok((question.id, DryRun::Refused(refusal))),
        }
    }
}

fn request(question: &Question, field_manager: &str) -> Result<Request, Refusal> {
    let id = &question.id;
    let mut body = String::new();
    kelson_yaml::json::write(&question.body, &mut body).map_err(|error| Refusal {
        reason: "Invalid".to_owned(),
        message: error.to_string(),
        ..Refusal::default()
    })?;
    let request = Request::apply(path(&question.kind, &id.namespace, &id.name)?, body)
        .with("dryRun", "All")
        .with("fieldManager", field_manager)
        .with("force", question.force.to_string())
        .with("fieldValidation", "Strict");
    Ok(request)
}
