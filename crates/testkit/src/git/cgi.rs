//! One request, answered by `git http-backend`.

use std::io::{self, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use super::Shared;
use super::http::Request;

pub(super) fn answer(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let request = Request::read(&stream)?;
    if let Some(wanted) = &shared.authorization
        && request.header("authorization") != Some(wanted)
    {
        return stream.write_all(
            b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"git\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
    }
    let output = run(&request, shared)?;
    let split = output.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(output.len());
    let (head, body) = output.split_at(split);
    let head = String::from_utf8_lossy(head);
    let status =
        head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK").to_owned();
    let headers: String = head
        .lines()
        .filter(|line| !line.starts_with("Status: ") && !line.is_empty())
        .map(|line| format!("{line}\r\n"))
        .collect();
    let body = body.get(4..).unwrap_or_default();
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(body)?;
    stream.flush()
}

fn run(request: &Request, shared: &Shared) -> io::Result<Vec<u8>> {
    let mut command = Command::new("git");
    command.arg("http-backend").current_dir(&shared.root);
    super::apart(&mut command);
    command
        .env("GIT_PROJECT_ROOT", &shared.root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", &request.method)
        .env("PATH_INFO", &request.path)
        .env("QUERY_STRING", &request.query)
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env("CONTENT_TYPE", request.header("content-type").unwrap_or_default())
        .env("GIT_PROTOCOL", request.header("git-protocol").unwrap_or_default())
        .env("HTTP_CONTENT_ENCODING", request.header("content-encoding").unwrap_or_default());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let pipe = child.stdin.take();
    let body = request.body.clone();
    // Written from another thread: git may answer before it has read all.
    let writer = std::thread::spawn(move || pipe.map(|mut pipe| pipe.write_all(&body).ok()));
    let output = child.wait_with_output()?;
    writer.join().ok();
    Ok(output.stdout)
}
