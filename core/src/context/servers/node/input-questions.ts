import type { Logger } from "../../../base/logger.js";
import { messageOf } from "../../../base/symposium-error.js";
import type { ServerInput, UserServer } from "../../../settings/user-server.js";
import type { ServerSession } from "../expanded-launch.js";
import { askForm, canAsk, showText } from "../session-question.js";
import { inputName } from "./expand-launch.js";
import type { SecretFile } from "./secrets/secret-file.js";

interface InputServices {
  readonly secrets: SecretFile;
  readonly logger: Logger;
}

/** Asks for `${input:ID}` values in an editor form, once per process. Stores the answers as secrets. */
export class InputQuestions {
  readonly #asked = new Set<string>();

  constructor(private readonly services: InputServices) {}

  /** Asks for a server's unanswered inputs. The server is omitted from this session; the answers apply to the next session. */
  ask(server: UserServer, inputs: readonly ServerInput[], session: ServerSession): void {
    const unasked = inputs.filter(({ id }) => !this.#asked.has(id));
    if (unasked.length === 0) return;
    for (const { id } of unasked) this.#asked.add(id);
    this.#ask(server, unasked, session).catch((error: unknown) => {
      this.services.logger.warn("inputs were not kept", { server: server.name, reason: messageOf(error) });
      return showText(session, messageOf(error));
    });
  }

  async #ask({ name }: UserServer, inputs: readonly ServerInput[], session: ServerSession): Promise<void> {
    if (!canAsk(session, "form")) {
      const ids = inputs.map(({ id }) => id).join(", ");
      const text = `The MCP server "${name}" is left out until you enter: ${ids}.`;
      return showText(session, `${text} Run \`symposium-acp-agent mcp login ${name}\`.`);
    }
    const question = { message: `Enter values for the MCP server "${name}".`, requestedSchema: formOf(inputs) };
    const answer = await askForm(session, question, session.signal);
    this.services.logger.info("inputs were asked for", { server: name, answer: answer.action });
    if (answer.action !== "accept") return;
    for (const { id } of inputs) {
      const value = answer.content[id];
      if (typeof value === "string") await this.services.secrets.set(inputName(id), value);
    }
    await showText(session, `The MCP server "${name}" is available from the next session.`);
  }
}

function formOf(inputs: readonly ServerInput[]): object {
  const properties = inputs.map((input): [string, object] => [input.id, fieldOf(input)]);
  const byId: Readonly<Record<string, object>> = Object.fromEntries(properties);
  return { type: "object", properties: byId, required: inputs.map(({ id }) => id) };
}

function fieldOf({ id, description, isSecret, default: proposed, options }: ServerInput): object {
  return {
    type: "string",
    title: id,
    ...(description !== undefined && { description }),
    ...(proposed !== undefined && { default: proposed }),
    ...(options && { enum: options }),
    // ACP has no standard for secret inputs; clients know this extension from Codex.
    ...(isSecret && { _meta: { codex: { isSecret: true } } }),
  };
}
