/** What `--help` prints. */
export const helpText = `symposium-acp-agent [SUBCOMMAND] [OPTIONS]

Stands between an editor and a coding agent that speak the Agent Client Protocol, and chains proxies between them.

  run                     the chain of ~/.symposium/config.jsonc over stdio; asks for an agent where there is none (default)
  run-with                an explicit chain over stdio
    --proxy X             a proxy, nearest to the editor first; repeatable. X is a built-in name, "defaults" for all
                          built-in ones, the id of an installed one, a command in shell words, or JSON
    --agent X             the agent: a known name, the id of an installed one, a command such as 'opencode acp', or
                          JSON. Without it this is itself a proxy, to be run by another conductor
  chat [PROMPT]           talk to the configured agent in this terminal; with a prompt, answer once and leave
    --proxy, --agent      as for run-with, in place of the configuration
    --yes | --no          answer permission requests without asking
  setup                   choose an agent in this terminal and write the configuration
  doctor [AGENT]          check the tools, the configuration and the agent, with a remedy for each fault
    --json                as JSON
  sign-in [METHOD]        run the configured agent's own sign-in in this terminal
  registry list           the agents that can be chosen; list-extensions: the extensions
    --json                as JSON also in a terminal
    --refresh             ask the registry again now
  registry resolve-agent X | resolve-extension X
                          how X (an id, an address of an extension.json, or JSON) starts, as one line of JSON;
                          what has to be installed for that is
  registry plan X         what starting X would need, in words; installs nothing
  registry install X      install an agent or extension; then --agent ID and --proxy ID start it
    --extension           X is an extension
  registry update [ID]    what the registry offers now of one, or of all that are installed
  registry installed      what is installed, in which version
  registry pin ID VERSION | unpin ID
                          keep an installed version through updates, or no longer
  registry rollback ID    return to the version before, and pin it
  registry remove ID      remove every version
  recommendations list    the extensions recommended for this folder's workspace, and why; enables nothing
    --json                as JSON
    --refresh             fetch the published list again now
  eliza                   the embedded agent that needs no model
    --deterministic       the same answer to the same words
  mcp NAME                the tools of one extension (sparkle, ferris, cargo, ide-operations) as an MCP server
                          over stdio
    --options JSON        its options, as in config.jsonc
  lsp --folder DIR        the language servers of a folder, which all sessions there share; they start it themselves
  zed install             this as an agent of your Zed: the configured chain as an entry of its settings
    --agent X             a chain before another agent instead; repeatable
    --language-models     as language models instead, served by serve-openai; --port N when it listens elsewhere
    --settings FILE       the settings.json that is meant; --flatpak: that of the flatpak
    --dry-run             only show the change
  zed uninstall           take it out again, to the byte where nothing was edited since
  zed doctor              start every entry as Zed would, and say how it goes
  serve-openai            agents as models of an OpenAI-compatible endpoint on 127.0.0.1, until a signal ends it
    --agent X             an agent as a model, in place of the configured chain; repeatable
    --port N              where to listen (11711)
    --folder DIR          the agents' working folder (an empty one)
    --permissions POLICY  what agents may do unasked: deny (default) or allow-reads
  vscodelm                agents as language models for the VS Code extension, which starts this, over stdio
    --proxy X             a proxy before every agent, as for run-with; repeatable
  extension check PATH    for authors: check an extension's description, start it, and talk through it
    -- COMMAND            in place of PATH: any program
    --json                as JSON
    --timeout SECONDS     how long any one answer may take (15)
  trace FILE              turn a trace into one HTML page
    --output HTML         where to write it

Everywhere a chain runs:
  --log FILTER            log to stderr: a level, or levels by target as in info,mcp=debug
  --trace-dir DIR         write every message of every hop to a file in DIR, credentials redacted

  --version               print the version
  --help                  print this

SYMPOSIUM_CONFIG_DIR moves the folder of config.jsonc.`;
