/// The `data` of server-sent events, from chunks that end anywhere.
#[derive(Default)]
pub struct EventLines {
    bytes: Vec<u8>,
    /// Where the line that is being read begins.
    start: usize,
}

impl EventLines {
    pub fn push(&mut self, chunk: &[u8]) {
        self.bytes.drain(..self.start);
        self.start = 0;
        self.bytes.extend_from_slice(chunk);
    }

    /// The data of the next event that is complete. Other fields, comments and empty lines are passed over.
    pub fn next(&mut self) -> Option<String> {
        loop {
            let length = self.bytes[self.start..]
                .iter()
                .position(|byte| *byte == b'\n')?;
            let line = String::from_utf8_lossy(&self.bytes[self.start..self.start + length]);
            self.start += length + 1;
            if let Some(data) = line.trim_end_matches('\r').strip_prefix("data:") {
                return Some(data.trim_start().to_string());
            }
        }
    }

    /// What has come and is no complete event.
    pub fn rest(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}
