import type { ServerLaunch } from "../../../settings/user-server.js";
import { type Entry, secretVariable } from "./entry.js";
import { readCommonEntry } from "./common-entry.js";
import { type Format, groupAt } from "./format.js";

/**
 * Format of OpenCode's `mcp`: `command` is a list of words, `environment` contains the variables, and `{file:PATH}` inserts a file's
 * content.
 */
export const opencode: Format = {
  dialect: "curly",
  groups: groupAt("mcp"),
  read(entry) {
    const type = entry.raw("type");
    // An entry without type, command and URL only enables or disables a server from another configuration layer.
    if (type === undefined && entry.raw("command") === undefined && entry.raw("url") === undefined) return undefined;
    if (type === "remote" || type === undefined) {
      const remote = readCommonEntry(entry, {
        urls: { url: "http" },
        timeout: { unitMs: 1, limits: "startTimeoutMs" },
      });
      return remote && { ...remote, launch: withoutFiles(entry, remote.launch) };
    }
    if (type !== "local") return entry.fail('Its type must be "local" or "remote".');
    const [command, ...args] = entry.texts("command");
    const env = entry.values("environment");
    const cwd = entry.text("cwd");
    const timeout = entry.milliseconds("timeout", 1);
    if (command === undefined || command === "") return entry.fail("Its command is empty.");
    const launch: ServerLaunch = { type: "stdio", command, args, env, ...(cwd !== undefined && { cwd }) };
    return {
      launch: withoutFiles(entry, launch),
      isEnabled: entry.flag("enabled") !== false,
      ...(timeout !== undefined && { startTimeoutMs: timeout }),
    };
  },
};

/** Replaces `{file:PATH}` with a secret that the user must enter once, since such files mostly contain secrets. */
function withoutFiles(entry: Entry, launch: ServerLaunch): ServerLaunch {
  const named = (text: string, words: readonly string[]): string =>
    text.replaceAll(/\{file:([^{}]*)\}/g, (_, path: string) => {
      const variable = secretVariable(entry.name, ...words);
      entry.note(`The content of ${JSON.stringify(path)} is ${variable} here, which has no value yet.`);
      return variable;
    });
  const inValues = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, named(value, [name])]));
  if (launch.type !== "stdio") return { ...launch, url: named(launch.url, ["url"]), headers: inValues(launch.headers) };
  return { ...launch, args: launch.args.map((text, index) => named(text, [String(index)])), env: inValues(launch.env) };
}
