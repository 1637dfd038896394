use serde_json::Value;

/// What the ids of our context servers begin with; the rest is the name after `symposium-acp-agent mcp`.
const PREFIX: &str = "symposium-";

/// JSON schema of the settings of every server.
pub const SETTINGS_SCHEMA: &str = include_str!("settings-schema.json");

/// What Zed shows where nothing is set.
pub const DEFAULT_SETTINGS: &str = "{\n  // A symposium-acp-agent of your own, in place of the one that Zed installs by npm.\n  // \"program\": \"/path/to/symposium-acp-agent\",\n  // Options of this extension, as in ~/.symposium/config.jsonc.\n  \"options\": {}\n}\n";

/// How the server's program is started.
pub enum Program {
    Executable(String),
    /// A script for Zed's Node.
    Script(String),
}

/// One of our MCP servers, with the user's settings for it.
pub struct Server {
    name: String,
    settings: Value,
}

impl Server {
    /// The server of this id; fails for ids that are not ours, and for settings of another shape.
    pub fn of(id: &str, settings: Option<Value>) -> Result<Self, String> {
        let name = match id.strip_prefix(PREFIX) {
            Some(
                name @ ("ferris" | "cargo" | "sparkle" | "ide-operations" | "tests" | "sources"),
            ) => name.to_string(),
            _ => return Err(format!("{id} is no server of Symposium.")),
        };
        let settings = settings.unwrap_or(Value::Null);
        if !settings.is_null() && !settings.is_object() {
            return Err(format!("The settings of {id} have to be an object."));
        }
        Ok(Server { name, settings })
    }

    /// The program that the user has named.
    pub fn program(&self) -> Option<Program> {
        let path = self.settings.get("program")?.as_str()?.to_string();
        if path.is_empty() {
            return None;
        }
        let is_script = [".cjs", ".mjs", ".js"]
            .iter()
            .any(|ending| path.ends_with(ending));
        Some(if is_script {
            Program::Script(path)
        } else {
            Program::Executable(path)
        })
    }

    /// The words after the program.
    pub fn args(&self) -> Vec<String> {
        let mut args = vec!["mcp".to_string(), self.name.clone()];
        if let Some(options) = self.settings.get("options").filter(|value| is_set(value)) {
            args.extend(["--options".to_string(), options.to_string()]);
        }
        args
    }

    /// What Zed says before the user switches the server on, in Markdown.
    pub fn instructions(&self) -> String {
        let what = match self.name.as_str() {
            "ferris" => "reads the sources of the very crate versions that your workspace uses",
            "cargo" => "runs cargo and leaves the noise out of what it prints",
            "sparkle" => "remembers how you work, in files that you can read and edit",
            "tests" => "runs the tests of your projects and tells what failed, without the noise",
            "sources" => "reads the sources of the very package versions that your files import",
            _ => {
                "finds definitions, uses and diagnostics with the language servers of this machine"
            }
        };
        format!(
            "This server {what}. Zed installs its program by npm when you switch it on; with `program` in the settings it uses your own.\n"
        )
    }
}

fn is_set(options: &Value) -> bool {
    options.as_object().is_some_and(|object| !object.is_empty())
}

/// The path as the host has it: WASI puts a slash before a Windows drive.
pub fn host_path(path: &str) -> String {
    match path.strip_prefix('/') {
        Some(rest) if rest.as_bytes().get(1) == Some(&b':') => rest.to_string(),
        _ => path.to_string(),
    }
}
