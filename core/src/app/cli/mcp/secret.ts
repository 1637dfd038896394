import { invalidArguments } from "../../../base/symposium-error.js";
import { secretName } from "../../../context/servers/node/expand-launch.js";
import { SecretFile } from "../../../context/servers/node/secrets/secret-file.js";
import { sayResult, warn } from "../output.js";
import { jsonOption } from "../options.js";
import { subcommand, subcommandGroup } from "../subcommand.js";
import { hiddenValue } from "./ask-value.js";

const set = subcommand({
  name: "mcp secret set",
  about: "Store a value for ${secret:NAME}. Type it at a hidden prompt, or send it on standard input.",
  arguments: { "<NAME>": "letters, digits, dots, dashes and underscores" },
  options: jsonOption,
  async run({ values, positionals: [name = ""] }) {
    const kept = secretName(checked(name));
    const value = await hiddenValue(`Value of ${name}: `);
    if (value === "") {
      throw invalidArguments(`No value was given for ${name}.`, `Type it, or pass it on standard input.`);
    }
    const secrets = new SecretFile();
    await secrets.set(kept, value);
    const protection = await secrets.protection();
    const text = `To use the value, write \${secret:${name}} in a server's entry. ${protection}`;
    return sayResult(values, { kept: name, protection }, text);
  },
});

const list = subcommand({
  name: "mcp secret list",
  about: "List the names of stored values, and how they are protected. Shows no value.",
  options: jsonOption,
  async run({ values }) {
    const secrets = new SecretFile();
    const names = (await secrets.names()).filter((name) => !name.startsWith("login:"));
    const protection = await secrets.protection();
    warn(protection);
    if (names.length === 0 && values.json !== true) return 0;
    return sayResult(values, { names: names.map(shown), protection }, names.map(shown).join("\n"));
  },
});

const remove = subcommand({
  name: "mcp secret remove",
  about: "Delete a stored value.",
  arguments: { "<NAME>": "a name from `mcp secret list`; input:ID is an answer that you gave" },
  options: jsonOption,
  async run({ values, positionals: [name = ""] }) {
    const kept = name.startsWith("input:") ? name : secretName(checked(name));
    if (await new SecretFile().remove(kept)) return sayResult(values, { removed: name }, `${name} was removed.`);
    const hint = "`symposium-acp-agent mcp secret list` shows their names.";
    throw invalidArguments(`No value is stored for ${name}.`, hint);
  },
});

export const secret = subcommandGroup({
  name: "mcp secret",
  about: "Store values for ${secret:NAME} in your MCP servers, outside files that you share.",
  members: {
    set: { about: "store a value", load: () => Promise.resolve(set) },
    list: { about: "list names of stored values", load: () => Promise.resolve(list) },
    remove: { about: "delete a value", load: () => Promise.resolve(remove) },
  },
});

function shown(name: string): string {
  return name.replace(/^secret:/, "");
}

function checked(name: string): string {
  if (/^[\w.-]{1,100}$/.test(name)) return name;
  throw invalidArguments(
    `${JSON.stringify(name)} isn't a valid secret name.`,
    "A name may contain letters, digits, dots, dashes and underscores.",
  );
}
