import { Outcome, type Notification, type Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { SessionClient } from "./attachment.js";

interface QueuedPrompt {
  readonly client: SessionClient;
  readonly request: Request;
  readonly reply: Reply;
  /** Set while the agent processes the prompt. */
  cancel?: Cancel;
}

interface TurnHooks {
  begins(request: Request, client: SessionClient): void;
  /** Called after the prompt's client has received the answer. */
  ended(outcome: Outcome): void;
}

/** Runs a session's prompts one after another. */
export class PromptQueue {
  readonly #waiting: QueuedPrompt[] = [];
  #running: QueuedPrompt | undefined;
  #isCancelled = false;

  constructor(
    private readonly conductor: Peer,
    private readonly hooks: TurnHooks,
  ) {}

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** Whether `session/cancel` has cancelled the running turn. */
  get isCancelled(): boolean {
    return this.#running !== undefined && this.#isCancelled;
  }

  /** Sends a prompt after all earlier ones are answered. */
  add(client: SessionClient, request: Request, reply: Reply): Cancel {
    const prompt: QueuedPrompt = { client, request, reply };
    this.#waiting.push(prompt);
    this.#next();
    return () => {
      const place = this.#waiting.indexOf(prompt);
      if (place === -1) {
        prompt.cancel?.();
        return;
      }
      this.#waiting.splice(place, 1);
      reply(Outcome.error(RpcError.cancelled()));
    };
  }

  /** Cancels the running turn and all waiting prompts. */
  cancel(notification: Notification): void {
    const waiting = this.#waiting.splice(0);
    this.#isCancelled = true;
    this.conductor.notify(notification);
    for (const { reply } of waiting) reply(Outcome.of({ stopReason: "cancelled" }));
  }

  #next(): void {
    const prompt = this.#running ? undefined : this.#waiting.shift();
    if (!prompt) return;
    const { client, request, reply } = prompt;
    this.#running = prompt;
    this.#isCancelled = false;
    this.hooks.begins(request, client);
    prompt.cancel = this.conductor.request(request, (outcome) => {
      this.#running = undefined;
      reply(outcome);
      this.hooks.ended(outcome);
      this.#next();
    });
  }
}
