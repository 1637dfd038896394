import { invalidArguments } from "../../base/symposium-error.js";
import { checkCommand } from "./findings/run-check.js";
import { targetAt, targetOfWords } from "./extension/find-target.js";
import { checkProxy } from "./extension/proxy-check.js";
import { logOption } from "./options.js";
import { subcommand, subcommandGroup } from "./subcommand.js";

const defaultLimitMs = 15_000;

export const extension = subcommandGroup({
  name: "extension",
  about: "Tools for extension authors.",
  members: {
    check: {
      about: "check an extension's description, start it and send messages through it",
      load: () => Promise.resolve(check),
    },
  },
});

/**
 * `extension check PATH` or `-- COMMAND`: reads the description, starts the proxy before a test agent, and exchanges messages through it.
 * Prints one line per finding, or one JSON line with `--json`. Exits with 1 if a check fails.
 */
const check = subcommand({
  name: "extension check",
  about:
    "Check an extension's description, start it and send messages through it. To check any program, give its command after --.",
  arguments: { "[PATH]": "the folder or description file of an extension" },
  takesCommand: true,
  options: {
    json: { about: "print the findings as one line of JSON" },
    timeout: { value: "SECONDS", mostSeconds: 600, about: "maximum time for an answer (default: 15)" },
    ...logOption,
  },
  async run({ values, positionals: [path], command }) {
    if ((path === undefined) === (command === undefined || command.length === 0)) {
      const hint =
        "For example: symposium-acp-agent extension check ./my-extension, or extension check -- my-proxy --flag";
      throw invalidArguments("extension check takes a PATH, or -- and a COMMAND.", hint);
    }
    const { timeout: limitMs = defaultLimitMs } = values;
    return checkCommand({ log: values.log, isJson: values.json === true }, async (environment, signal) => {
      const target =
        path === undefined
          ? targetOfWords(command ?? [])
          : await targetAt(path, environment.chain.startProcess, signal);
      if (!target.command) return target.findings;
      const spoken = await checkProxy(target.name, target.command, { environment, signal, limitMs });
      return [...target.findings, ...spoken];
    });
  },
});
