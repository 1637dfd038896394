import {
  lmMethods,
  type LmPart,
  type Notification,
  Outcome,
  type PermissionParams,
  type PermissionResult,
  type Request,
  type ResponseParams,
} from "@symposium-dev/core";
import { RecordingPeer } from "@symposium-dev/core/testing";
import { type JsonObject, objectOf, parseObject, stringOf } from "../json.js";
import type { Answer } from "../raw-client.js";
import { StartedCommand, type StartOptions } from "../started-command.js";
import type { AnswerEnd, ModelAnswer, ModelConsumer, ModelQuestion } from "./model-consumer.js";

/** Parameters that all requests of a process share. */
type RequestDefaults = Omit<ResponseParams, "messages" | "conversationId">;

/** `vscodelm` without an editor, driven by what an extension sends. */
export class LmProcess implements ModelConsumer {
  /** Permission requests without a tool of the editor, oldest first. */
  readonly permissions: PermissionParams[] = [];
  /** Answers permission requests; a promise keeps the agent waiting. */
  decides: (asked: PermissionParams) => PermissionResult | Promise<PermissionResult> = () => ({ outcome: "reject" });
  readonly #answers = new Map<string, OpenAnswer>();
  #serial = 0;

  private constructor(
    readonly command: StartedCommand,
    readonly defaults: RequestDefaults,
  ) {
    command.client.peer = new ExtensionPeer(this);
  }

  /** Starts it, with `words` before its name; `defaults` may depend on the folders of the run. The stack ends it. */
  static async start(
    stack: AsyncDisposableStack,
    defaults: RequestDefaults | ((command: StartedCommand) => Promise<RequestDefaults>),
    { words = [], ...options }: StartOptions & { readonly words?: readonly string[] } = {},
  ): Promise<LmProcess> {
    const command = await StartedCommand.start(stack, [...words, "vscodelm"], {
      config: JSON.stringify({ proxies: [] }),
      ...options,
    });
    return new LmProcess(command, typeof defaults === "function" ? await defaults(command) : defaults);
  }

  ask(question: ModelQuestion): ModelAnswer {
    return this.#askWith({}, question);
  }

  /** A consumer whose requests say these things otherwise. */
  with(changes: Partial<RequestDefaults>): ModelConsumer {
    return { ask: (question) => this.#askWith(changes, question) };
  }

  #askWith(changes: Partial<RequestDefaults>, { messages, tools, conversationId }: ModelQuestion): ModelAnswer {
    const params: ResponseParams = {
      folder: this.command.folder.workspace,
      ...this.defaults,
      ...changes,
      ...(tools !== undefined && { options: { tools } }),
      messages,
      ...(conversationId !== undefined && { conversationId }),
    };
    return this.open(params);
  }

  /** Sends a request with unmodified parameters. */
  open(params: unknown): ModelAnswer {
    const id = `request-${this.#serial++}`;
    const open = new OpenAnswer();
    this.#answers.set(id, open);
    const line = JSON.stringify({ jsonrpc: "2.0", id, method: lmMethods.response, params });
    const ended = Promise.race([
      this.command.client.exchange(line, id).then((answer) => endOf(parseObject(answer))),
      this.command.client.child.exited.then((error) => ({ error })),
    ]);
    return {
      parts: open.parts,
      ended,
      cancel: () => this.command.client.notify(lmMethods.cancel, { requestId: id }),
    };
  }

  /** Any other request. */
  request(method: string, params: unknown): Promise<Answer> {
    return this.command.client.request(method, params);
  }

  /** A part that the process sent. */
  receive(params: JsonObject): void {
    this.#answers.get(stringOf(params["requestId"]))?.parts.push(params["part"] as LmPart);
  }
}

class OpenAnswer {
  readonly parts: LmPart[] = [];
}

/** The extension's side of the connection. */
class ExtensionPeer extends RecordingPeer {
  constructor(private readonly process: LmProcess) {
    super();
  }

  override notify(notification: Notification): void {
    super.notify(notification);
    if (notification.method === lmMethods.responsePart) this.process.receive(objectOf(notification.params?.value));
  }

  override request(request: Request, reply: (outcome: Outcome) => void): () => void {
    if (request.method !== lmMethods.permission) return super.request(request, reply);
    const asked = objectOf(request.params?.value) as unknown as PermissionParams;
    this.process.permissions.push(asked);
    void Promise.resolve(this.process.decides(asked)).then((result) => reply(Outcome.of(result)));
    return () => undefined;
  }
}

function endOf(answer: JsonObject): AnswerEnd {
  return "error" in answer ? { error: stringOf(objectOf(answer["error"])["message"]) } : {};
}
