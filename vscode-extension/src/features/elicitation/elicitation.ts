import * as l10n from "@vscode/l10n";
import { randomUUID } from "node:crypto";
import { type Logger, RequestFailure, RpcError } from "@symposium-dev/core";
import * as z from "zod/mini";
import type { ItemOf } from "../../../protocol/index.js";
import { withoutProposedSecrets } from "../../../protocol/elicitation-secrets.js";
import type { AbilityCall, AbilitySession, ClientAbility } from "../../acp/client-abilities.js";
import type { MessageOf } from "../pages/message-hub.js";
import { visibleText } from "@symposium-dev/core";
import type { WaitingRequests } from "../permissions/waiting-requests.js";
import { answerProblems } from "./elicitation-schema.js";

interface ElicitationOptions {
  readonly waiting: WaitingRequests;
  readonly logger: Logger;
  openUrl(url: string): Promise<boolean>;
}

type Answer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" };
type Card = ItemOf<"elicitation">;

interface Pending {
  readonly session: AbilitySession;
  readonly card: Card;
  readonly elicitationId: string | undefined;
  readonly settle: (answer: Answer, summary: string) => void;
}

const wireRequest = z.discriminatedUnion("mode", [
  z.looseObject({ mode: z.literal("form"), message: z.string(), requestedSchema: z.looseObject({}) }),
  z.looseObject({ mode: z.literal("url"), message: z.string(), url: z.string(), elicitationId: z.string() }),
]);
type WireRequest = z.infer<typeof wireRequest>;
const wireCompletion = z.looseObject({ elicitationId: z.string() });

/**
 * Implements `elicitation/create`: shows a form or a URL as a card in the transcript. Sends answers only if they match the form's schema.
 */
export class Elicitation implements ClientAbility {
  readonly capabilities = { elicitation: { form: {}, url: {} } };
  readonly requests = { "elicitation/create": (call: AbilityCall): Promise<unknown> => this.#ask(call) };
  readonly notifications = { "elicitation/complete": (call: AbilityCall): void => this.#complete(call) };
  readonly #pending = new Map<string, Pending>();
  /** Elicitations whose URL was opened and that have no completion message yet, by elicitation id. */
  readonly #opened = new Map<string, { readonly session: AbilitySession; readonly card: Card }>();

  constructor(private readonly options: ElicitationOptions) {}

  /** Handles the user's answer to a card. Invalid answers keep the card open and show the problems. */
  async respond({ id, action, content }: Omit<MessageOf<"elicitation-response">, "type">): Promise<void> {
    const pending = this.#pending.get(id);
    if (!pending) return;
    const { card, session, settle } = pending;
    if (action !== "accept") {
      settle({ action }, action === "decline" ? l10n.t("Declined") : l10n.t("Cancelled"));
    } else if (card.mode === "url") {
      await this.#open(pending);
    } else {
      const answers = content ?? {};
      const problems = answerProblems(card.schema, answers);
      if (Object.keys(problems).length > 0) session.publish({ op: "put", item: { ...card, problems } });
      else settle({ action, content: answers }, summaryOf(answers));
    }
  }

  sessionEnded(sessionId: string): void {
    for (const { session, settle } of [...this.#pending.values()]) {
      if (session.sessionId === sessionId) settle({ action: "cancel" }, l10n.t("The session ended"));
    }
    for (const [id, { session }] of [...this.#opened]) if (session.sessionId === sessionId) this.#opened.delete(id);
  }

  async #ask({ params, session, signal }: AbilityCall): Promise<Answer> {
    const parsed = wireRequest.safeParse(params);
    if (!parsed.success) {
      throw new RequestFailure(
        RpcError.invalidParams("an elicitation must be a form with a schema or a url with an id"),
      );
    }
    if (!session) throw new RequestFailure(RpcError.invalidParams("the elicitation doesn't name an open session"));
    const request = parsed.data;
    const card = toCard(request);
    if (signal.aborted) return { action: "cancel" };
    session.publish({ op: "put", item: card });
    const stopWaiting = this.options.waiting.add(session, request.message);
    return new Promise((resolve) => {
      const settle = (answer: Answer, summary: string): void => {
        if (!this.#pending.delete(card.id)) return;
        signal.removeEventListener("abort", abort);
        stopWaiting();
        const fields = Object.keys((answer.action === "accept" && answer.content) || {});
        const shown = { action: answer.action, summary, ...(fields.length > 0 && { fields }) };
        session.publish({ op: "put", item: { ...card, answer: shown } });
        resolve(answer);
      };
      const abort = (): void => settle({ action: "cancel" }, l10n.t("Cancelled"));
      const elicitationId = request.mode === "url" ? request.elicitationId : undefined;
      this.#pending.set(card.id, { session, card, elicitationId, settle });
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  async #open({ session, card, elicitationId, settle }: Pending): Promise<void> {
    const { url } = card;
    if (url === undefined || !isWebAddress(url)) {
      this.options.logger.warn("an agent asked to open an address that isn't http or https");
      settle({ action: "decline" }, l10n.t("Not opened: only http and https addresses are allowed"));
      return;
    }
    if (!(await this.options.openUrl(url))) return;
    if (elicitationId !== undefined) this.#opened.set(elicitationId, { session, card });
    settle({ action: "accept" }, l10n.t("Opened in the browser"));
  }

  /** Completes a card after the agent reports that the browser step is done, even if the user never pressed the card's button. */
  #complete({ params }: AbilityCall): void {
    const parsed = wireCompletion.safeParse(params);
    if (!parsed.success) return;
    const { elicitationId } = parsed.data;
    for (const pending of [...this.#pending.values()]) {
      if (pending.elicitationId === elicitationId) pending.settle({ action: "accept" }, l10n.t("Done"));
    }
    const opened = this.#opened.get(elicitationId);
    this.#opened.delete(elicitationId);
    opened?.session.publish({
      op: "put",
      item: { ...opened.card, answer: { action: "accept", summary: l10n.t("Done") } },
    });
  }
}

function toCard(request: WireRequest): Card {
  const shared = {
    kind: "elicitation",
    id: randomUUID(),
    message: visibleText(request.message, l10n.t("The message")).text,
  } as const;
  if (request.mode === "form")
    return { ...shared, mode: "form", schema: withoutProposedSecrets(request.requestedSchema) };
  // The parsed URL reveals look-alike host names in Punycode.
  const url = URL.canParse(request.url)
    ? new URL(request.url).href
    : visibleText(request.url, l10n.t("The address")).text;
  return { ...shared, mode: "url", url };
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
}

/** Lists only field names, since answers can be secrets and transcripts are stored. */
function summaryOf(content: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(content);
  return names.length === 0 ? l10n.t("Sent") : l10n.t("Sent: {0}", names.join(", "));
}
