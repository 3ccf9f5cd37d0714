//! An answer that goes on: a line for each thing that happens.

use bytes::BytesMut;
use http_body_util::BodyExt;
use kelson_plan::Refusal;
use kube::client::Body;

use super::{failure, unreadable};

/// The longest line that is read: no object is as large.
const LONGEST: usize = 32 << 20;

/// The lines of an answer, as they come.
pub(crate) struct Lines {
    body: Body,
    buffer: BytesMut,
    /// How much of the buffer is known to hold no end of a line.
    searched: usize,
}

impl Lines {
    pub(super) fn new(body: Body) -> Self {
        Self { body, buffer: BytesMut::new(), searched: 0 }
    }

    /// The next line; nothing at the end. Waiting for it can be given up at any time without losing any.
    pub(crate) async fn next(&mut self) -> Result<Option<String>, Refusal> {
        let line = self.next_bytes().await?;
        line.map(|line| String::from_utf8(line).map_err(|_| unreadable())).transpose()
    }

    /// The next line, whatever it is made of; nothing at the end.
    pub(crate) async fn next_bytes(&mut self) -> Result<Option<Vec<u8>>, Refusal> {
        loop {
            if let Some(line) = self.take_line() {
                return Ok(Some(line));
            }
            if self.buffer.len() > LONGEST {
                return Err(unreadable());
            }
            match self.body.frame().await {
                None => return Ok(None),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.buffer.extend_from_slice(&data);
                    }
                }
                Some(Err(error)) => {
                    let message = format!("the answer broke off: {}", failure::words(&error));
                    return Err(Refusal { message, ..Refusal::default() });
                }
            }
        }
    }

    /// What has come of a line that has not ended.
    pub(crate) fn rest(self) -> Vec<u8> {
        self.buffer.to_vec()
    }

    fn take_line(&mut self) -> Option<Vec<u8>> {
        let found = self.buffer[self.searched..].iter().position(|&byte| byte == b'\n');
        let Some(at) = found else {
            self.searched = self.buffer.len();
            return None;
        };
        let line = self.buffer.split_to(self.searched + at + 1);
        self.searched = 0;
        Some(line[..line.len() - 1].to_vec())
    }
}
