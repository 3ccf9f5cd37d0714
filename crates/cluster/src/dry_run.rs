//! What the server would do.

use std::collections::HashMap;

use futures_util::{StreamExt, TryStreamExt, stream};
use kelson_model::ObjectId;
use kelson_plan::{Action, DryRun, Listener, Plan, Question, Refusal, Step};

use crate::own::tried_deletion;
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

    /// Tries the deletes of a plan and returns those that would be refused. What is gone meanwhile is not among them.
    ///
    /// # Errors
    ///
    /// Fails where the cluster cannot be reached at all.
    pub async fn dry_run_deletes(
        &self,
        plan: &Plan,
        listener: &dyn Listener,
    ) -> Result<HashMap<ObjectId, Refusal>, Error> {
        let deletes = plan.steps.iter().filter(|step| step.action == Action::Delete);
        let tried = deletes.map(|step| self.try_delete(step, listener));
        let refused: Vec<Option<(ObjectId, Refusal)>> = stream::iter(tried)
            .buffer_unordered(self.parallel())
            .try_collect()
            .await
            .map_err(|refusal| Error::Refused { what: "try deletes".to_owned(), refusal })?;
        Ok(refused.into_iter().flatten().collect())
    }

    async fn try_delete(
        &self,
        step: &Step,
        listener: &dyn Listener,
    ) -> Result<Option<(ObjectId, Refusal)>, Refusal> {
        let Some(uid) = &step.ground.uid else { return Ok(None) };
        let tried = async {
            let path = path(&step.kind, &step.id.namespace, &step.id.name)?;
            self.send(&Request::delete(path, tried_deletion(uid)), listener).await?;
            Ok(())
        };
        match tried.await {
            Ok(()) => Ok(None),
            // Gone, or another one: the delete itself will find out.
            Err(Refusal { code: 404 | 409, .. }) => Ok(None),
            Err(refusal) if is_final(&refusal) => Err(refusal),
            Err(refusal) => Ok(Some((step.id.clone(), refusal))),
        }
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
            Ok(node) => Ok((question.id, DryRun::would(node, field_manager, question.is_new))),
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
