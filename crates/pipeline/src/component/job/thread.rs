//! Heavy work, on a thread of its own.

use tokio::sync::Semaphore;

use super::Error;

/// Documents nest a thousand levels deep at most; this is room for every walk over one.
const ROOM: usize = 64 << 20;

/// Does heavy work on a thread of its own, with room for deep documents, when its turn comes. A panic there is an error
/// here.
pub(in crate::component) async fn on_thread<T: Send + 'static, E: Into<Error> + Send + 'static>(
    turns: &Semaphore,
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, Error> {
    let _turn = turns.acquire().await.expect("because nobody closes it");
    let (sender, receiver) = tokio::sync::oneshot::channel();
    std::thread::Builder::new()
        .name("render".to_owned())
        .stack_size(ROOM)
        .spawn(move || sender.send(work()).ok())
        .map_err(|error| Error::Plan(format!("cannot start a thread: {error}")))?;
    match receiver.await {
        Ok(result) => result.map_err(Into::into),
        Err(_) => Err(Error::Panicked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_on_a_thread_of_its_own_is_an_error() {
        let result: Result<(), Error> =
            on_thread(&Semaphore::new(1), || -> Result<(), Error> { panic!("a defect") }).await;
        assert!(matches!(result, Err(Error::Panicked)), "{result:?}");
    }
}
