use crate::bindings::{
    CompletionEvent, StopReason, ThinkingContent, TokenUsage, ToolUse, ToolUseJsonParseError,
};
use crate::endpoint::{parsed, refusal};
use crate::event_lines::EventLines;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use zed_extension_api::http_client::HttpResponseStream;

const DONE: &str = "[DONE]";

/// A tool call whose parts are still coming.
#[derive(Default)]
struct Call {
    id: String,
    name: String,
    input: String,
}

/// One streamed answer, in the events of Zed. Dropping it hangs up.
pub struct Answer {
    response: HttpResponseStream,
    lines: EventLines,
    events: VecDeque<CompletionEvent>,
    calls: BTreeMap<u64, Call>,
    stop: Option<StopReason>,
    shows_thinking: bool,
    has_ended: bool,
}

impl Answer {
    /// Waits for the first piece: a request that is refused fails here, with what the endpoint says.
    pub fn begin(response: HttpResponseStream, shows_thinking: bool) -> Result<Self, String> {
        let mut answer = Answer {
            response,
            lines: EventLines::default(),
            events: VecDeque::from([CompletionEvent::Started]),
            calls: BTreeMap::new(),
            stop: None,
            shows_thinking,
            has_ended: false,
        };
        answer.read()?;
        if answer.lines.rest().first() == Some(&b'{') {
            while answer.read()? {}
            parsed(answer.lines.rest())?;
        }
        Ok(answer)
    }

    /// The next event, none after the last one.
    pub fn next(&mut self) -> Result<Option<CompletionEvent>, String> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(Some(event));
            }
            if self.has_ended {
                return Ok(None);
            }
            match self.lines.next() {
                Some(data) if data == DONE => self.end()?,
                Some(data) => self.take(&data)?,
                None => {
                    if !self.read()? {
                        self.end()?;
                    }
                }
            }
        }
    }

    /// Whether there was more to read.
    fn read(&mut self) -> Result<bool, String> {
        let chunk = self.response.next_chunk()?;
        self.lines.push(chunk.as_deref().unwrap_or_default());
        Ok(chunk.is_some())
    }

    fn take(&mut self, data: &str) -> Result<(), String> {
        let chunk: Value =
            serde_json::from_str(data).map_err(|error| format!("An event is no JSON: {error}."))?;
        if let Some(refusal) = refusal(&chunk) {
            self.has_ended = true;
            return Err(refusal);
        }
        if let Some(usage) = chunk.get("usage").and_then(usage_of) {
            self.events.push_back(CompletionEvent::Usage(usage));
        }
        let Some(choice) = chunk.pointer("/choices/0") else {
            return Ok(());
        };
        if let Some(delta) = choice.get("delta") {
            self.take_delta(delta);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.stop = Some(stop_of(reason));
            self.finish_calls();
        }
        Ok(())
    }

    fn take_delta(&mut self, delta: &Value) {
        if let Some(text) = text_of(delta, "reasoning_content").filter(|_| self.shows_thinking) {
            let thought = ThinkingContent {
                text: text.to_string(),
                signature: None,
            };
            self.events.push_back(CompletionEvent::Thinking(thought));
        }
        if let Some(text) = text_of(delta, "content") {
            self.events
                .push_back(CompletionEvent::Text(text.to_string()));
        }
        for part in delta
            .get("tool_calls")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let call = self
                .calls
                .entry(part.get("index").and_then(Value::as_u64).unwrap_or(0))
                .or_default();
            call.id += text_of(part, "id").unwrap_or_default();
            if let Some(function) = part.get("function") {
                call.name += text_of(function, "name").unwrap_or_default();
                call.input += text_of(function, "arguments").unwrap_or_default();
            }
        }
    }

    fn finish_calls(&mut self) {
        for Call { id, name, input } in std::mem::take(&mut self.calls).into_values() {
            self.events
                .push_back(match serde_json::from_str::<Value>(&input) {
                    Ok(_) => CompletionEvent::ToolUse(ToolUse {
                        id,
                        name,
                        input,
                        thought_signature: None,
                    }),
                    Err(error) => CompletionEvent::ToolUseJsonParseError(ToolUseJsonParseError {
                        id,
                        tool_name: name,
                        raw_input: input,
                        error: error.to_string(),
                    }),
                });
        }
    }

    /// The reason comes last, after the usage: Zed takes an answer for complete with it.
    fn end(&mut self) -> Result<(), String> {
        self.has_ended = true;
        let reason = self
            .stop
            .take()
            .ok_or("The endpoint hung up in the middle of its answer.")?;
        self.events.push_back(CompletionEvent::Stop(reason));
        Ok(())
    }
}

fn text_of<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value
        .get(name)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
}

fn stop_of(reason: &str) -> StopReason {
    match reason {
        "length" => StopReason::MaxTokens,
        "tool_calls" => StopReason::ToolUse,
        "content_filter" => StopReason::Refusal,
        _ => StopReason::EndTurn,
    }
}

fn usage_of(usage: &Value) -> Option<TokenUsage> {
    Some(TokenUsage {
        input_tokens: usage.get("prompt_tokens")?.as_u64()?,
        output_tokens: usage.get("completion_tokens")?.as_u64()?,
        cache_creation_input_tokens: None,
        cache_read_input_tokens: None,
    })
}
