use crate::bindings::{
    CompletionRequest, ImageData, MessageContent, MessageRole, RequestMessage, ToolChoice,
    ToolDefinition, ToolResult, ToolResultContent,
};
use serde_json::{json, Map, Value};

/// The body of a chat completion. Fails for a tool whose schema is no JSON.
pub fn of(model: &str, request: &CompletionRequest) -> Result<Value, String> {
    let mut body = Map::new();
    body.insert("model".into(), json!(model));
    body.insert("stream".into(), json!(true));
    body.insert("stream_options".into(), json!({ "include_usage": true }));
    body.insert(
        "messages".into(),
        request.messages.iter().flat_map(messages).collect(),
    );
    if !request.tools.is_empty() {
        body.insert(
            "tools".into(),
            request.tools.iter().map(tool).collect::<Result<_, _>>()?,
        );
        if let Some(choice) = request.tool_choice {
            body.insert("tool_choice".into(), json!(choice_word(choice)));
        }
    }
    if !request.stop_sequences.is_empty() {
        body.insert("stop".into(), json!(request.stop_sequences));
    }
    if let Some(temperature) = request.temperature {
        body.insert("temperature".into(), json!(temperature));
    }
    if let Some(tokens) = request.max_tokens {
        body.insert("max_completion_tokens".into(), json!(tokens));
    }
    Ok(Value::Object(body))
}

fn choice_word(choice: ToolChoice) -> &'static str {
    match choice {
        ToolChoice::Auto => "auto",
        ToolChoice::Any => "required",
        ToolChoice::None => "none",
    }
}

fn tool(
    ToolDefinition {
        name,
        description,
        input_schema,
    }: &ToolDefinition,
) -> Result<Value, String> {
    let parameters: Value = serde_json::from_str(input_schema)
        .map_err(|error| format!("The schema of the tool {name} is no JSON: {error}."))?;
    Ok(
        json!({ "type": "function", "function": { "name": name, "description": description, "parameters": parameters } }),
    )
}

/// One message of Zed as one of OpenAI's, with each tool result in a message of its own before it.
fn messages(message: &RequestMessage) -> Vec<Value> {
    let mut results: Vec<Value> = Vec::new();
    let mut parts: Vec<Value> = Vec::new();
    let mut calls: Vec<Value> = Vec::new();
    for content in &message.content {
        match content {
            MessageContent::Text(text) => parts.push(text_part(text)),
            MessageContent::Image(image) => parts.push(image_part(image)),
            MessageContent::ToolUse(call) => calls.push(json!({
                "id": call.id,
                "type": "function",
                "function": { "name": call.name, "arguments": call.input },
            })),
            MessageContent::ToolResult(result) => results.push(result_message(result)),
            // The session behind the endpoint has its own thoughts.
            MessageContent::Thinking(_) | MessageContent::RedactedThinking(_) => (),
        }
    }
    if parts.is_empty() && calls.is_empty() {
        return results;
    }
    let mut members = Map::new();
    members.insert("role".into(), json!(role_word(message.role)));
    members.insert("content".into(), Value::Array(parts));
    if !calls.is_empty() {
        members.insert("tool_calls".into(), Value::Array(calls));
    }
    results.push(Value::Object(members));
    results
}

fn role_word(role: MessageRole) -> &'static str {
    match role {
        MessageRole::User => "user",
        MessageRole::Assistant => "assistant",
        MessageRole::System => "system",
    }
}

/// OpenAI's results do not say that they are errors.
fn result_message(result: &ToolResult) -> Value {
    let content = match &result.content {
        ToolResultContent::Text(text) if result.is_error => {
            text_part(&format!("The tool failed: {text}"))
        }
        ToolResultContent::Text(text) => text_part(text),
        ToolResultContent::Image(image) => image_part(image),
    };
    json!({ "role": "tool", "tool_call_id": result.tool_use_id, "content": [content] })
}

fn text_part(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn image_part(ImageData { source, .. }: &ImageData) -> Value {
    json!({ "type": "image_url", "image_url": { "url": format!("data:{};base64,{source}", image_type(source)) } })
}

/// Zed does not say of which type an image is: its first bytes, in base64, do.
fn image_type(source: &str) -> &'static str {
    match source.get(..4) {
        Some("/9j/") => "image/jpeg",
        Some("R0lG") => "image/gif",
        Some("UklG") => "image/webp",
        _ => "image/png",
    }
}
