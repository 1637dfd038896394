import { invalidArguments, type SymposiumError } from "../../../base/symposium-error.js";
import { nameFault } from "../../../settings/mcp-servers.js";
import { withServer } from "../../../settings/server-edit.js";
import type { ServerLaunch, UserServer } from "../../../settings/user-server.js";
import { editUserServers } from "../../../context/servers/node/servers-in-config.js";
import { sayResult } from "../output.js";
import { jsonOption } from "../options.js";
import { subcommand } from "../subcommand.js";

const usage = "symposium-acp-agent mcp add NAME -- COMMAND..., or mcp add NAME --url URL.";

/** `mcp add NAME -- COMMAND...` or `mcp add NAME --url URL`: adds a server to config.jsonc and preserves its layout. Starts nothing. */
export const add = subcommand({
  name: "mcp add",
  about:
    "Add an MCP server for all agents, with a command after -- or with --url. Applies to new sessions. Starts nothing.",
  arguments: { "<NAME>": "a new name" },
  takesCommand: true,
  options: {
    url: { value: "URL", about: "the address of a remote server" },
    sse: { about: "use the older SSE transport" },
    header: { value: "NAME: VALUE", multiple: true, about: "a header for each request; repeatable" },
    env: { value: "NAME=VALUE", multiple: true, about: "an environment variable for the command; repeatable" },
    cwd: { value: "DIR", about: "the command's working folder (default: the session's folder)" },
    agent: { value: "ID", multiple: true, about: "an agent that gets the server; repeatable (default: all)" },
    replace: { about: "replace the server with this name" },
    ...jsonOption,
  },
  async run({ values, positionals: [name = ""], command }) {
    const unusable = nameFault(name);
    if (unusable) throw invalidArguments(`mcp add: ${unusable.message}`, unusable.hint);
    const launch =
      values.url === undefined
        ? programOf(command, pairs(values.env ?? [], "=", "--env"), values.cwd)
        : remoteOf(values.url, values.sse === true, pairs(values.header ?? [], ":", "--header"));
    if ((values.url === undefined) === (command === undefined)) throw misuse("Give either a command or --url.");
    if (values.url === undefined && (values.header || values.sse)) throw misuse("--header and --sse require --url.");
    if (values.url !== undefined && (values.env || values.cwd !== undefined))
      throw misuse("--env and --cwd require a command.");
    const agents = values.agent;
    const server: UserServer = { name, launch, isEnabled: true, origin: { kind: "user" }, ...(agents && { agents }) };
    const file = await editUserServers((text, file, servers) => {
      if (values.replace !== true && servers.some((one) => one.name === name)) {
        throw invalidArguments(
          `mcp add: ${file} already has a server "${name}".`,
          "Use --replace, or choose another name.",
        );
      }
      return withServer(text, server, file);
    });
    const text = `Added ${name} to ${file}. Agents get it from their next session.`;
    return sayResult(values, { added: name, file }, text);
  },
});

function programOf(
  words: readonly string[] | undefined,
  env: Readonly<Record<string, string>>,
  cwd: string | undefined,
): ServerLaunch {
  const [command, ...args] = words ?? [];
  if (command === undefined || command === "") throw misuse("Give either a command or --url.");
  return { type: "stdio", command, args, env, ...(cwd !== undefined && { cwd }) };
}

function remoteOf(url: string, isSse: boolean, headers: Readonly<Record<string, string>>): ServerLaunch {
  if (!/^(?:https?:\/\/[^\s/]|\$\{)\S*$/i.test(url)) throw misuse("--url must begin with https:// or http://.");
  return { type: isSse ? "sse" : "http", url, headers };
}

/** Splits each text into a name and a value. Errors omit the values, which may be secrets. */
function pairs(texts: readonly string[], separator: string, option: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const end = text.indexOf(separator);
      if (end <= 0) throw misuse(`${option} takes NAME${separator}VALUE.`);
      return [text.slice(0, end).trim(), separator === ":" ? text.slice(end + 1).trim() : text.slice(end + 1)];
    }),
  );
}

function misuse(reason: string): SymposiumError {
  return invalidArguments(`mcp add: ${reason}`, usage);
}
