//! The language model half of the component's interface, generated from `wit/language-models.wit`.

wit_bindgen::generate!({ path: "wit", world: "language-models" });

pub use zed::extension::llm_provider::{
    ImageData, MessageContent, MessageRole, ModelCapabilities, RequestMessage, StopReason,
    ThinkingContent, TokenUsage, ToolChoice, ToolDefinition, ToolInputFormat, ToolResult,
    ToolResultContent, ToolUse, ToolUseJsonParseError,
};

use crate::LanguageModels;

export!(LanguageModels);
