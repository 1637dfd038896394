//! Offers the agents behind `symposium-acp-agent serve-openai` as language models, to a Zed that takes such providers.

mod answer;
mod bindings;
mod body;
mod endpoint;
mod event_lines;
mod models;

use answer::Answer;
use bindings::{
    CompletionEvent, CompletionRequest, CredentialType, Guest, ModelInfo, ProviderInfo,
};
use endpoint::{Endpoint, ADDRESS_VARIABLE, TOKEN_VARIABLE};
use std::cell::RefCell;
use std::collections::HashMap;
use zed_extension_api as zed;

/// The id under which Zed knows the provider, as in extension.toml.
const PROVIDER: &str = "symposium";
const NO_TOKEN: &str = "There is no token. It is in ~/.symposium/openai-token once `symposium-acp-agent serve-openai` has run; SYMPOSIUM_API_KEY may hold it, too.";

/// What Zed calls of every extension; of ours it uses the language models alone.
struct Extension;

impl zed::Extension for Extension {
    fn new() -> Self {
        Extension
    }
}

zed::register_extension!(Extension);

#[derive(Default)]
struct Streams {
    opened: u64,
    open: HashMap<String, Answer>,
}

thread_local! {
    static STREAMS: RefCell<Streams> = RefCell::default();
}

struct LanguageModels;

impl Guest for LanguageModels {
    fn llm_providers() -> Vec<ProviderInfo> {
        vec![ProviderInfo {
            id: PROVIDER.to_string(),
            name: "Symposium".to_string(),
            icon: None,
        }]
    }

    fn llm_provider_models(provider_id: String) -> Result<Vec<ModelInfo>, String> {
        models::listed(&endpoint(&provider_id)?)
    }

    fn llm_provider_is_authenticated(provider_id: String) -> bool {
        provider_id == PROVIDER && token(&provider_id).is_some()
    }

    /// Asks for a token where there is none, and tries it. One that is refused is not kept.
    fn llm_provider_authenticate(provider_id: String) -> Result<(), String> {
        known(&provider_id)?;
        if token(&provider_id).is_none() {
            let label = "Token of serve-openai (~/.symposium/openai-token)";
            bindings::llm_request_credential(&provider_id, CredentialType::ApiKey, label, "")?;
        }
        let tried = models::listed(&endpoint(&provider_id)?).map(drop);
        if tried
            .as_ref()
            .is_err_and(|refusal| endpoint::is_token_refused(refusal))
            && given_token().is_none()
        {
            bindings::llm_delete_credential(&provider_id)?;
        }
        tried
    }

    fn llm_stream_completion_start(
        provider_id: String,
        model_id: String,
        request: CompletionRequest,
    ) -> Result<String, String> {
        let body = body::of(&model_id, &request)?;
        let answer = Answer::begin(
            endpoint(&provider_id)?.complete(body)?,
            request.thinking_allowed,
        )?;
        STREAMS.with_borrow_mut(|streams| {
            streams.opened += 1;
            let id = format!("answer-{}", streams.opened);
            streams.open.insert(id.clone(), answer);
            Ok(id)
        })
    }

    fn llm_stream_completion_next(stream_id: String) -> Result<Option<CompletionEvent>, String> {
        STREAMS.with_borrow_mut(|streams| match streams.open.get_mut(&stream_id) {
            Some(answer) => answer.next(),
            None => Err(format!("There is no stream {stream_id}.")),
        })
    }

    /// Hangs up: the endpoint cancels what is left of the agent's turn.
    fn llm_stream_completion_close(stream_id: String) {
        STREAMS.with_borrow_mut(|streams| streams.open.remove(&stream_id));
    }
}

fn known(provider_id: &str) -> Result<(), String> {
    if provider_id == PROVIDER {
        return Ok(());
    }
    Err(format!("{provider_id} is no provider of Symposium."))
}

fn endpoint(provider_id: &str) -> Result<Endpoint, String> {
    known(provider_id)?;
    let token = token(provider_id).ok_or(NO_TOKEN)?;
    Ok(Endpoint::at(
        bindings::llm_get_env_var(ADDRESS_VARIABLE),
        token,
    ))
}

/// The variable goes first, as it does for the endpoint itself.
fn token(provider_id: &str) -> Option<String> {
    given_token().or_else(|| stated(bindings::llm_get_credential(provider_id)))
}

fn given_token() -> Option<String> {
    stated(bindings::llm_get_env_var(TOKEN_VARIABLE))
}

fn stated(token: Option<String>) -> Option<String> {
    token
        .map(|token| token.trim().to_string())
        .filter(|token| !token.is_empty())
}
