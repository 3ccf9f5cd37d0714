//! A local control plane in the foreground.

use std::io::Read;

use anyhow::{Context, bail};
use kelson_testkit::{ControlPlane, KUBERNETES, Options};

/// Starts control planes, prints where their kubeconfigs are, and waits for Ctrl-C or the end of input.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let mut options = Options::default();
    let mut count = 1;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut number = || -> anyhow::Result<u16> {
            let value = rest.next().with_context(|| format!("{argument} needs a number"))?;
            value.parse().with_context(|| format!("{argument} needs a number, not `{value}`"))
        };
        match argument.as_str() {
            "--workers" => options.workers = true,
            "--count" => count = number()?,
            "--port" => options.port = Some(number()?),
            other => {
                bail!("unknown argument `{other}`; there are --workers, --count N and --port N")
            }
        }
    }
    if count > 1 && options.port.is_some() {
        bail!("--port is for one control plane; leave --count out");
    }
    let planes: Vec<ControlPlane> =
        (0..count).map(|_| ControlPlane::start_with(options)).collect::<Result<_, _>>()?;
    eprintln!("Kubernetes {KUBERNETES} is ready; Ctrl-C stops it and removes its data");
    for plane in &planes {
        println!("export KUBECONFIG={}", plane.kubeconfig().display());
    }
    for log in planes.iter().flat_map(ControlPlane::logs) {
        eprintln!("log: {}", log.display());
    }
    wait(&planes)
}

/// Waits until told to stop, or until a process of a control plane dies.
fn wait(planes: &[ControlPlane]) -> anyhow::Result<()> {
    let (stop, stopped) = std::sync::mpsc::channel();
    let end_of_input = stop.clone();
    std::thread::spawn(move || {
        // Where there is no terminal, whoever started us says stop by closing our input.
        let interactive = std::io::IsTerminal::is_terminal(&std::io::stdin());
        let read = std::io::stdin().read_to_end(&mut Vec::new());
        if !interactive && read.is_ok() {
            end_of_input.send(()).ok();
        }
    });
    ctrlc::set_handler(move || {
        stop.send(()).ok();
    })
    .context("cannot listen for Ctrl-C")?;
    loop {
        match stopped.recv_timeout(std::time::Duration::from_millis(500)) {
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                planes.iter().try_for_each(ControlPlane::check)?;
            }
            _ => return Ok(()),
        }
    }
}
