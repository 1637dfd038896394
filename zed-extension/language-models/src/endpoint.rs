use serde_json::Value;
use zed_extension_api::http_client::{HttpMethod, HttpRequest, HttpResponseStream};

/// Where the token may stand, for the endpoint and for its clients.
pub const TOKEN_VARIABLE: &str = "SYMPOSIUM_API_KEY";
/// Where the endpoint is, when it is not at its usual place.
pub const ADDRESS_VARIABLE: &str = "SYMPOSIUM_API_URL";
const USUAL_ADDRESS: &str = "http://127.0.0.1:11711/v1";
const TOKEN_REFUSED: &str = "invalid_api_key";

/// The OpenAI-compatible endpoint of this machine.
pub struct Endpoint {
    address: String,
    token: String,
}

impl Endpoint {
    pub fn at(address: Option<String>, token: String) -> Self {
        let address = address.filter(|address| !address.is_empty());
        let address = address
            .as_deref()
            .unwrap_or(USUAL_ADDRESS)
            .trim_end_matches('/')
            .to_string();
        Endpoint { address, token }
    }

    /// `GET /models`, parsed.
    pub fn models(&self) -> Result<Value, String> {
        let response = self.send(HttpMethod::Get, "models", None)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.next_chunk()? {
            body.extend(chunk);
        }
        parsed(&body)
    }

    /// `POST /chat/completions`.
    pub fn complete(&self, body: Value) -> Result<HttpResponseStream, String> {
        self.send(HttpMethod::Post, "chat/completions", Some(body))
    }

    /// Always a stream: of a response that is fetched whole, Zed hides what an error says.
    fn send(
        &self,
        method: HttpMethod,
        path: &str,
        body: Option<Value>,
    ) -> Result<HttpResponseStream, String> {
        let request = HttpRequest::builder()
            .method(method)
            .url(format!("{}/{path}", self.address))
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json");
        let request = match body {
            Some(body) => request.body(body.to_string()),
            None => request,
        };
        request.build()?.fetch_stream().map_err(|failure| {
            format!(
                "{} does not answer ({failure}). Start it: `symposium-acp-agent serve-openai`.",
                self.address
            )
        })
    }
}

/// The JSON value of a response; an error where it is one of the endpoint's, or no JSON.
pub fn parsed(body: &[u8]) -> Result<Value, String> {
    let value =
        serde_json::from_slice(body).map_err(|error| format!("The answer is no JSON: {error}."))?;
    match refusal(&value) {
        Some(refusal) => Err(refusal),
        None => Ok(value),
    }
}

/// What the endpoint says is wrong, with its code in front.
pub fn refusal(value: &Value) -> Option<String> {
    let error = value.get("error")?;
    let code = error.get("code").and_then(Value::as_str).unwrap_or("error");
    let message = error
        .get("message")
        .and_then(Value::as_str)
        .unwrap_or("no reason given");
    Some(format!("{code}: {message}"))
}

/// Whether that is what the endpoint says to a wrong token.
pub fn is_token_refused(refusal: &str) -> bool {
    refusal.starts_with(TOKEN_REFUSED)
}
