import * as l10n from "@vscode/l10n";
import { randomUUID } from "node:crypto";
import { messageOf, type Command } from "@symposium-dev/core";
import type { ItemOf } from "../../../protocol/index.js";
import type { ClientAbility } from "../../acp/client-abilities.js";
import type { SignIn, SignInRequest } from "../../acp/conversation-parts.js";
import type { MessageOf } from "../pages/message-hub.js";
import type { WaitingRequests } from "../permissions/waiting-requests.js";
import { parseSignInMethod, type SignInMethod } from "./parse-sign-in-method.js";

export interface SignInTerminal {
  /** Returns the exit code, or undefined if the terminal was closed. */
  run(name: string, command: Command, signal: AbortSignal): Promise<number | undefined>;
}

interface AuthenticationOptions {
  readonly waiting: WaitingRequests;
  readonly terminal: SignInTerminal;
}

interface Attempt {
  readonly request: SignInRequest;
  readonly methods: readonly SignInMethod[];
  card: ItemOf<"authentication">;
  readonly settle: (isSignedIn: boolean) => void;
}

export class Authentication implements ClientAbility, SignIn {
  readonly capabilities = { auth: { terminal: true }, _meta: { "terminal-auth": true } };
  readonly requests = {};
  readonly #attempts = new Map<string, Attempt>();

  constructor(private readonly options: AuthenticationOptions) {}

  signIn(request: SignInRequest): Promise<boolean> {
    const { agent, reason, signal } = request;
    const methods = request.methods.flatMap((method) => parseSignInMethod(method, request.command) ?? []);
    const card: Attempt["card"] = {
      kind: "authentication",
      id: randomUUID(),
      agentName: agent.name,
      reason,
      methods: methods.map(toChoice),
      state: "waiting",
    };
    request.publish({ op: "put", item: card });
    if (methods.length === 0 || signal.aborted) return Promise.resolve(false);
    const stopWaiting = this.options.waiting.add(request, l10n.t("Sign in to {0}", agent.name));
    return new Promise((resolve) => {
      const settle = (isSignedIn: boolean): void => {
        const attempt = this.#attempts.get(card.id);
        if (!attempt || !this.#attempts.delete(card.id)) return;
        signal.removeEventListener("abort", giveUp);
        stopWaiting();
        show(attempt, { state: isSignedIn ? "done" : "over" });
        resolve(isSignedIn);
      };
      const giveUp = (): void => settle(false);
      this.#attempts.set(card.id, { request, methods, card, settle });
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Runs the sign-in that the user chose. After a failure, the card stays open for another try. */
  async authenticate({ id, methodId }: Pick<MessageOf<"authenticate">, "id" | "methodId">): Promise<void> {
    const attempt = this.#attempts.get(id);
    const method = attempt?.methods.find((one) => one.id === methodId);
    if (!attempt || !method || attempt.card.state === "running") return;
    show(attempt, { state: "running" });
    const problem = await this.#run(attempt.request, method);
    if (!this.#attempts.has(id)) return;
    if (problem !== undefined) {
      show(attempt, { state: "failed", reason: `${attempt.request.reason}\n${problem}` });
      return;
    }
    // A sign-in applies to all tabs of the agent.
    for (const other of [...this.#attempts.values()]) {
      if (other.request.agent.id === attempt.request.agent.id) other.settle(true);
    }
  }

  /** Returns an error message, or undefined on success. */
  async #run(request: SignInRequest, method: SignInMethod): Promise<string | undefined> {
    const { agent, signal } = request;
    try {
      if (method.kind === "agent") await request.authenticate(method.id);
      if (method.command === undefined) return undefined;
      const code = await this.options.terminal.run(l10n.t("Sign in to {0}", agent.name), method.command, signal);
      if (code === 0) return undefined;
      return code === undefined
        ? l10n.t("The terminal was closed.")
        : l10n.t("The sign-in command exited with code {0}.", code);
    } catch (error) {
      return messageOf(error);
    }
  }
}

function show(attempt: Attempt, change: Partial<Pick<Attempt["card"], "state" | "reason">>): void {
  attempt.card = { ...attempt.card, ...change };
  attempt.request.publish({ op: "put", item: attempt.card });
}

function toChoice({ id, name, description, kind }: SignInMethod): ItemOf<"authentication">["methods"][number] {
  return { id, name, isTerminal: kind === "terminal", ...(description === undefined ? {} : { description }) };
}
