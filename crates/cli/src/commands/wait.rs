//! `kelson wait`: until what was delivered is well.

mod named; // names and sources told apart

use anyhow::bail;
use kelson_cluster::{Cluster, Held, ObserveOptions, Targets};
use kelson_pipeline::deliver;
use kelson_plan::Delivery;

use self::named::Named;
use crate::delivery::{self, Place};
use crate::events::Teller;
use crate::exit::Code;
use crate::observe::{self, Wait};
use crate::{draw, gather, kubernetes, runtime};

/// Wait until what was delivered is ready.
///
/// A delivery is waited for by its name, with all that its inventory lists; or the objects of sources, whoever has
/// delivered them. What names a path that exists, - and artifacts are sources; everything else is a name. Nothing is
/// written. While it waits it says why: what is behind an object that is not ready, with the last lines of its log.
/// Ends with 0 where all is ready, 3 where it is not in time or has failed, 1 where nobody could tell.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Names of deliveries; or directories, files, - for standard input, or artifacts.
    #[arg(value_name = "NAME|SOURCE", required_unless_present = "name", conflicts_with = "name")]
    what: Vec<String>,
    /// The name of a delivery, where it is also that of a file; may be repeated.
    #[arg(long, value_name = "NAME", value_parser = delivery::name)]
    name: Vec<String>,
    /// Wait until all is gone instead.
    #[arg(long)]
    gone: bool,
    /// Print JSON: a line for everything that happens.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    health: observe::Flags,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    gather: gather::Flags,
    #[command(flatten)]
    kubernetes: kubernetes::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let options = arguments.health.options(arguments.health.timeout)?;
    let named = match arguments.name.is_empty() {
        true => named::tell(&arguments.what),
        false => Ok(Named::Deliveries(arguments.name.clone())),
    };
    let named = match named {
        Ok(named) => named,
        Err(misuse) => {
            draw::line(&format!("error: {misuse}"));
            return Ok(Code::Usage);
        }
    };
    runtime::run_orderly(|stop| async move {
        let teller = Teller::new(arguments.json);
        let cluster = arguments.kubernetes.connect().await?;
        let Awaited { mut targets, delivery } = arguments.awaited(&cluster, named).await?;
        if arguments.gone {
            targets.targets.iter_mut().for_each(|target| target.gone = true);
            targets.missing.clear();
        }
        let again = delivery.as_ref().filter(|_| !arguments.gone).map(observe::again);
        let wait = Wait { time: options.ready, is_for_end: arguments.gone, again };
        let options = ObserveOptions { delivery, ..options };
        let stop = stop.by_itself();
        let waiting = deliver::wait(&cluster, &targets, &options, &stop, &teller);
        let observed = teller.during(&targets.targets, waiting).await?;
        wait.report(&observed, &teller)
    })
}

/// What is waited for.
struct Awaited {
    targets: Targets,
    /// Whose it is, where all is one's.
    delivery: Option<Delivery>,
}

impl Arguments {
    async fn awaited(&self, cluster: &Cluster, named: Named) -> anyhow::Result<Awaited> {
        let namespace = self.place.of(cluster);
        match named {
            Named::Deliveries(names) => self.of_deliveries(cluster, &names, &namespace).await,
            Named::Sources(sources) => {
                named::refuse_twins(cluster, &sources, &namespace).await?;
                self.of_sources(cluster, &sources, &namespace).await
            }
        }
    }

    async fn of_deliveries(
        &self,
        cluster: &Cluster,
        names: &[String],
        namespace: &str,
    ) -> anyhow::Result<Awaited> {
        let mut all = Vec::new();
        for name in names {
            let delivery = Delivery::new(name, namespace)?;
            let held = Held::load(cluster, &delivery).await?;
            if !held.exists() && !self.gone {
                bail!("nothing was delivered as {delivery}");
            }
            all.push(held);
        }
        let of_each = deliver::targets(cluster, &all.iter().collect::<Vec<_>>()).await?;
        let mut targets = Targets { targets: Vec::new(), missing: Vec::new() };
        for mut of_one in of_each {
            targets.targets.append(&mut of_one.targets);
            targets.missing.append(&mut of_one.missing);
        }
        let delivery = match all.as_slice() {
            [only] => Some(only.delivery.clone()),
            _ => None,
        };
        Ok(Awaited { targets, delivery })
    }

    async fn of_sources(
        &self,
        cluster: &Cluster,
        sources: &[String],
        namespace: &str,
    ) -> anyhow::Result<Awaited> {
        let gathered = self.gather.gather(sources).await?;
        let (targets, problems) = deliver::rendered(cluster, gathered.objects, namespace).await?;
        for problem in &problems {
            draw::line(&format!("{}: {}", problem.id, problem.message));
        }
        if !problems.is_empty() && !self.gone {
            bail!("some of these objects can never be there");
        }
        Ok(Awaited { targets: Targets { targets, missing: Vec::new() }, delivery: None })
    }
}
