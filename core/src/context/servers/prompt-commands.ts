import { invalidArguments, SymposiumError } from "../../base/symposium-error.js";
import type { InitializedAgent } from "../../conductor/client/initialized-agent.js";
import { asObject, Json, type Members, objectsOf } from "../../base/rpc/json.js";
import type { SessionServer } from "./session-server.js";

/** Content types that the agent accepts in addition to text and links. */
type Accepted = InitializedAgent["accepts"];

interface PromptCommand {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
  expand(argumentText: string, signal: AbortSignal): Promise<readonly Members[]>;
}

/** Offers the servers' prompts as slash commands `/server:prompt`. The text after the name contains the arguments. */
export class PromptCommands {
  constructor(
    private readonly servers: readonly SessionServer[],
    private readonly accepted: Accepted,
  ) {}

  current(): readonly PromptCommand[] {
    return this.servers.flatMap((server) => server.prompts.flatMap((prompt) => this.#command(server, prompt)));
  }

  subscribe(listener: () => void): Disposable {
    const subscriptions = this.servers.map((server) =>
      server.subscribe((method) => {
        if (method === "notifications/prompts/list_changed") listener();
      }),
    );
    return {
      [Symbol.dispose]: () => {
        for (const subscription of subscriptions) subscription[Symbol.dispose]();
      },
    };
  }

  #command(server: SessionServer, { name, title, description, arguments: args }: Members): PromptCommand[] {
    if (typeof name !== "string" || name === "") return [];
    const names = objectsOf(args).map((one) => ({ name: String(one["name"]), isRequired: one["required"] === true }));
    const hint = names.map((one) => (one.isRequired ? `<${one.name}>` : `[${one.name}]`)).join(" ");
    const about = [description, title].find((text) => typeof text === "string" && text !== "");
    return [
      {
        // Editors end a command's name at the first space.
        name: `${server.name}:${name.replace(/\s+/g, "-")}`,
        description: typeof about === "string" ? about : `A prompt from the MCP server "${server.originalName}"`,
        ...(hint !== "" && { hint }),
        expand: (text, signal) =>
          this.#expand(server, name, promptArguments(text, names, `/${server.name}:${name}`), signal),
      },
    ];
  }

  async #expand(server: SessionServer, name: string, args: Members, signal: AbortSignal): Promise<readonly Members[]> {
    const params = Json.of({ name, arguments: args });
    const outcome = await server.call("prompts/get", params, { signal, notify: () => undefined });
    const result = outcome.json.object ?? {};
    if (outcome.isError) {
      const reason = typeof result["message"] === "string" ? result["message"] : outcome.json.text;
      throw new SymposiumError(
        "mcp-server-failed",
        `The prompt "${name}" of "${server.originalName}" failed: ${reason}`,
      );
    }
    return objectsOf(result["messages"]).flatMap(({ role, content }) => {
      const blocks = (Array.isArray(content) ? objectsOf(content) : objectsOf([content])).map((block) =>
        this.#toPromptBlock(block),
      );
      // A prompt may include an example answer, which a user message can't express otherwise.
      return role === "assistant" ? [{ type: "text", text: "Your answer so far:" }, ...blocks] : blocks;
    });
  }

  /** MCP and ACP blocks are the same. Blocks that the agent doesn't accept become text. */
  #toPromptBlock(block: Members): Members {
    const { type } = block;
    const resource = asObject(block["resource"]);
    if (type === "text" || type === "resource_link") return block;
    if (type === "image" && this.accepted.image) return block;
    if (type === "audio" && this.accepted.audio) return block;
    if (type === "resource" && this.accepted.embeddedContext) return block;
    if (typeof resource?.["text"] === "string") return { type: "text", text: resource["text"] };
    return { type: "text", text: `(${String(type)} content, which this agent doesn't support)` };
  }
}

/**
 * Parses a command's arguments: `name=value` in any order, else one word per argument in the prompt's order. Quotes join words, and the
 * last argument takes the rest. Throws if a required argument is missing.
 */
function promptArguments(
  text: string,
  known: readonly { readonly name: string; readonly isRequired: boolean }[],
  command: string,
): Record<string, string> {
  const given: Record<string, string> = {};
  const open = known.map(({ name }) => name);
  let rest = text.trim();
  while (rest !== "" && open.length > 0) {
    const [, named] = /^([\w-]+)=/.exec(rest) ?? [];
    const name = named !== undefined && open.includes(named) ? named : open[0];
    if (name === undefined) break;
    if (name === named) rest = rest.slice(name.length + 1);
    open.splice(open.indexOf(name), 1);
    const isNamedNext = open.some((other) => rest.includes(` ${other}=`));
    const word = open.length === 0 && !isNamedNext ? rest : (/^(?:"[^"]*"|'[^']*'|\S+)/.exec(rest)?.[0] ?? "");
    given[name] = /^(["'])[\s\S]*\1$/.test(word) && word.length > 1 ? word.slice(1, -1) : word;
    rest = rest.slice(word.length).trim();
  }
  const missing = known.filter(({ name, isRequired }) => isRequired && given[name] === undefined);
  if (missing.length === 0) return given;
  const names = missing.map(({ name }) => name).join(", ");
  throw invalidArguments(
    `${command} needs ${names}.`,
    `Add them after the command: ${command} ${names.replaceAll(", ", " ")}`,
  );
}
