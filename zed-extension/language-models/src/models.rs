use crate::bindings::{ModelCapabilities, ModelInfo, ToolInputFormat};
use crate::endpoint::Endpoint;
use serde_json::Value;

/// The endpoint does not say how much an agent takes: what agents of today take at least.
const TOKENS: u64 = 200_000;

/// The agents of the endpoint. The first one is the default.
pub fn listed(endpoint: &Endpoint) -> Result<Vec<ModelInfo>, String> {
    let list = endpoint.models()?;
    let models = list
        .get("data")
        .and_then(Value::as_array)
        .ok_or("The list of models has no data.")?;
    Ok(models
        .iter()
        .filter_map(|model| Some((model.get("id")?.as_str()?, model)))
        .enumerate()
        .map(info)
        .collect())
}

fn info((index, (id, model)): (usize, (&str, &Value))) -> ModelInfo {
    ModelInfo {
        id: id.to_string(),
        name: model
            .get("owned_by")
            .and_then(Value::as_str)
            .unwrap_or(id)
            .to_string(),
        max_token_count: TOKENS,
        max_output_tokens: None,
        capabilities: ModelCapabilities {
            supports_images: true,
            supports_tools: true,
            supports_tool_choice_auto: true,
            supports_tool_choice_any: false,
            supports_tool_choice_none: true,
            supports_thinking: true,
            tool_input_format: ToolInputFormat::JsonSchema,
        },
        is_default: index == 0,
        is_default_fast: index == 0,
    }
}
