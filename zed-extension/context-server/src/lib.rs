//! Gives the agent that is built into Zed the tools of Symposium: each context server is `symposium-acp-agent mcp NAME`.

mod server;

use server::{Program, Server};
use zed_extension_api::settings::ContextServerSettings;
use zed_extension_api::{
    self as zed, Command, ContextServerConfiguration, ContextServerId, Project, Result,
};

/// The npm package with the program. Its version is that of this extension, so that both know the same options.
const PACKAGE: &str = "symposium-acp-agent";
const VERSION: &str = env!("CARGO_PKG_VERSION");
const SCRIPT: &str = "bin/symposium-acp-agent.cjs";

struct Symposium;

impl zed::Extension for Symposium {
    fn new() -> Self {
        Symposium
    }

    fn context_server_command(
        &mut self,
        id: &ContextServerId,
        project: &Project,
    ) -> Result<Command> {
        let settings = ContextServerSettings::for_project(id.as_ref(), project)?;
        let server = Server::of(id.as_ref(), settings.settings)?;
        let program = match server.program() {
            Some(program) => program,
            None => Program::Script(installed_script()?),
        };
        let mut args = server.args();
        let command = match program {
            Program::Executable(path) => path,
            Program::Script(path) => {
                args.insert(0, path);
                zed::node_binary_path()?
            }
        };
        Ok(Command {
            command,
            args,
            env: Vec::new(),
        })
    }

    fn context_server_configuration(
        &mut self,
        id: &ContextServerId,
        _project: &Project,
    ) -> Result<Option<ContextServerConfiguration>> {
        let server = Server::of(id.as_ref(), None)?;
        Ok(Some(ContextServerConfiguration {
            installation_instructions: server.instructions(),
            settings_schema: server::SETTINGS_SCHEMA.to_string(),
            default_settings: server::DEFAULT_SETTINGS.to_string(),
        }))
    }
}

/// Installs the package in this extension's folder where another version, or none, is there; returns the script's path.
fn installed_script() -> Result<String> {
    if zed::npm_package_installed_version(PACKAGE)?.as_deref() != Some(VERSION) {
        zed::npm_install_package(PACKAGE, VERSION)?;
    }
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    let script = folder.join("node_modules").join(PACKAGE).join(SCRIPT);
    Ok(server::host_path(&script.to_string_lossy()))
}

zed::register_extension!(Symposium);
