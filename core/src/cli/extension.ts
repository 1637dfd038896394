import { SymposiumError } from "../base/symposium-error.js";
import { parseCommandLine } from "./command-line.js";
import { checkCommand } from "./doctor/check-command.js";
import { targetAt, targetOfWords } from "./extension/find-target.js";
import { checkProxy } from "./extension/proxy-check.js";

const usage = "symposium-acp-agent extension check PATH | -- COMMAND [--json] [--timeout SECONDS]";
const options = { json: { type: "boolean" }, timeout: { type: "string" }, log: { type: "string" } } as const;
const defaultLimitMs = 15_000;

/**
 * `extension check PATH`, or `-- COMMAND`: for authors of extensions. Reads the description, starts the proxy before
 * an agent of this process and talks through it. A line each on stdout, or with `--json` one line of JSON. The exit
 * code is 1 when something fails.
 */
export async function extension(words: readonly string[]): Promise<number> {
  const split = words.indexOf("--");
  const commandWords = split === -1 ? undefined : words.slice(split + 1);
  const ownWords = split === -1 ? words : words.slice(0, split);
  const { values, positionals } = parseCommandLine("extension", ownWords, options, true);
  const [verb, path, ...others] = positionals;
  const isOne = (path === undefined) !== (commandWords === undefined || commandWords.length === 0);
  if (verb !== "check" || !isOne || others.length > 0) {
    throw new SymposiumError("invalid-arguments", `extension ${positionals.join(" ")} is not understood.`, usage);
  }
  const limitMs = limitOf(values.timeout);
  return checkCommand({ log: values.log, isJson: values.json === true }, async (environment, signal) => {
    const target =
      path === undefined
        ? targetOfWords(commandWords ?? [])
        : await targetAt(path, environment.chain.startProcess, signal);
    if (!target.command) return target.findings;
    const spoken = await checkProxy(target.name, target.command, { environment, signal, limitMs });
    return [...target.findings, ...spoken];
  });
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return defaultLimitMs;
  const seconds = Number(text);
  if (seconds > 0 && seconds <= 600) return seconds * 1000;
  throw new SymposiumError("invalid-arguments", `--timeout ${text}: seconds from 0 to 600 are expected.`, usage);
}
