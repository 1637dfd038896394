import * as l10n from "@vscode/l10n";
import { randomUUID } from "node:crypto";
import { fileUses, isForUserAlone, type Logger, RequestFailure, RpcError } from "@symposium-dev/core";
import type { CheckedPath } from "@symposium-dev/core/node";
import type { ItemOf } from "../../../protocol/index.js";
import type { AbilityCall, AbilitySession, ClientAbility } from "../../acp/client-abilities.js";
import type { EditPlaces } from "../../acp/edit-places.js";
import type { MessageOf } from "../pages/message-hub.js";
import { permissionCard } from "./permission-card.js";
import { parsePermissionRequest, type PermissionOption, type PermissionRequest } from "./permission-request.js";
import type { PermissionHistory, PermissionRecord } from "./permission-history.js";
import { type PermissionSubject, subjectOf } from "./permission-subject.js";
import type { ProposedAnswer, RememberedAnswers } from "./remembered-answers.js";
import type { WaitingRequests } from "./waiting-requests.js";

interface PermissionsOptions {
  readonly remembered: RememberedAnswers;
  readonly history: PermissionHistory;
  readonly bypass: Bypass;
  readonly waiting: WaitingRequests;
  readonly places: Pick<EditPlaces, "settled" | "placed">;
  readonly logger: Logger;
  /** Sends `text` to the agent as the next prompt, since an ACP permission response has no member for a comment. */
  sendComment(session: AbilitySession, text: string): void;
}

/** Permission that Symposium itself needs from the user, for example a write outside the workspace. */
interface Question {
  readonly title: string;
  readonly toolKind: string;
  readonly rawInput: Readonly<Record<string, unknown>>;
  readonly paths?: readonly string[];
  /** True if neither a rule nor a bypass may answer. */
  readonly isUserOnly?: boolean;
}

type Outcome = { readonly outcome: "selected"; readonly optionId: string } | { readonly outcome: "cancelled" };
type Effect = PermissionRecord["effect"];

interface PermissionAnswer {
  readonly outcome: Outcome;
  readonly effect: Effect;
  readonly label: string;
  readonly by: string;
  readonly comment?: string;
}

interface Pending {
  readonly session: AbilitySession;
  readonly request: PermissionRequest;
  readonly subject: PermissionSubject;
  readonly proposed: ProposedAnswer | undefined;
  readonly settle: (answer: PermissionAnswer) => void;
}

const cancelled: Outcome = { outcome: "cancelled" };
const ownOptions: readonly PermissionOption[] = [
  { optionId: "allow", name: l10n.t("Allow"), kind: "allow_once" },
  { optionId: "reject", name: l10n.t("Reject"), kind: "reject_once" },
];

/**
 * Answers `session/request_permission` through a rule, a bypass, or a card that asks the user. A request stays open until it is answered,
 * its turn is cancelled or its session ends, even if the view closes.
 */
export class Permissions implements ClientAbility {
  readonly capabilities = {};
  readonly requests = {
    "session/request_permission": async (call: AbilityCall): Promise<unknown> => {
      const session = sessionOf(call);
      const request = await this.#request(call.params, session);
      const answer = await this.#answer(session, request, call.signal, isForUserAlone(call.params));
      const { outcome, comment } = answer;
      return comment === undefined ? { outcome } : { outcome, _meta: { "symposium/comment": comment } };
    },
  };
  readonly #pending = new Map<string, Pending>();
  readonly #grants = new PathGrants();

  constructor(private readonly options: PermissionsOptions) {}

  /** Returns whether the user allows the operation. Rules and bypasses apply as for agents' requests. */
  async allows(session: AbilitySession, question: Question, signal: AbortSignal): Promise<boolean> {
    const { title, toolKind, rawInput, paths = [], isUserOnly = false } = question;
    const locations = paths.map((path) => ({ path }));
    const content = { toolCallId: randomUUID(), content: [], locations, options: ownOptions };
    const request = { ...content, title, toolKind, rawInput };
    return (await this.#answer(session, request, signal, isUserOnly)).effect === "allow";
  }

  /**
   * Returns whether the user just allowed the agent's request for this path, so that the file operation needs no second question. The
   * permission covers only one write.
   */
  hasGranted(session: AbilitySession, path: CheckedPath, use: "read" | "write"): boolean {
    return this.#grants.covers(session.sessionId, path, use);
  }

  async respond({ approvalId, response, bypassAll, remember, comment }: ResponseMessage): Promise<void> {
    const pending = this.#pending.get(approvalId);
    if (!pending) return;
    const { session, request, subject, proposed, settle } = pending;
    const { outcome } = response;
    const option = outcome.outcome === "selected" ? optionOf(request, outcome.optionId) : undefined;
    if (outcome.outcome === "selected" && !option) {
      this.options.logger.warn("the view chose an option that was not offered", { tabId: session.tabId });
      return;
    }
    const note = comment?.trim() ?? "";
    const answer = option ? selected(option, "user") : cancelledAnswer(l10n.t("Cancelled"));
    settle(note === "" ? answer : { ...answer, comment: note });
    if (note !== "") this.options.sendComment(session, commentText(answer.effect, request.title, note));
    if (bypassAll) await this.options.bypass.add(session.agent.id);
    if (remember !== undefined && proposed && answer.effect !== "cancel") {
      await this.options.remembered.add(proposed, answer.effect, subject, session, remember);
    }
    if (bypassAll || remember !== undefined) await this.#answerWaiting();
  }

  /** Answers all requests that the user saw in a tab. Newer requests stay open. */
  respondAll({ tabId, approvalIds, answer }: MessageOf<"approve-all">): void {
    for (const approvalId of approvalIds) {
      const { session, request, settle } = this.#pending.get(approvalId) ?? {};
      if (!request || !settle || session?.tabId !== tabId) continue;
      const option = optionFor(request, answer);
      if (option) settle(selected(option, "user"));
      else if (answer === "reject") settle(cancelledAnswer(l10n.t("Rejected")));
    }
  }

  sessionEnded(sessionId: string): void {
    for (const { session, settle } of [...this.#pending.values()]) {
      if (session.sessionId === sessionId) settle(cancelledAnswer(l10n.t("The session ended")));
    }
    this.#grants.sessionEnded(sessionId);
    this.options.remembered.sessionEnded(sessionId);
  }

  async #answer(
    session: AbilitySession,
    request: PermissionRequest,
    signal: AbortSignal,
    isUserOnly = false,
  ): Promise<PermissionAnswer> {
    const facts = await subjectOf(request, session);
    const subject = isUserOnly ? { ...facts, isUserOnly } : facts;
    const standing = await this.#standingAnswer(session, request, subject);
    const isOwn = request.hasOwnAnswers === true;
    const proposed = standing || isOwn ? undefined : await this.options.remembered.proposed(subject, request, session);
    const answer = signal.aborted
      ? cancelledAnswer(l10n.t("Cancelled"))
      : (standing ?? (await this.#ask({ session, request, subject, proposed }, signal)));
    this.#note(session, subject, answer);
    return answer;
  }

  async #request(params: unknown, session: AbilitySession): Promise<PermissionRequest> {
    const { places } = this.options;
    // Wait for the tool call, which arrived just before the request and may have the content that the request omits.
    await places.settled();
    const request = parsePermissionRequest(params, session);
    const { content, edits = [], locations } = request;
    return edits.length === 0
      ? request
      : { ...request, content: await places.placed(content, { edits, locations, isOver: false }) };
  }

  /** Records an answer. Errors are only logged, so that the agent still gets its answer. */
  #note(session: AbilitySession, subject: PermissionSubject, { effect, by, label }: PermissionAnswer): void {
    const { command, paths, title, toolKind } = subject;
    const detail = command?.text ?? paths.map(({ path }) => path).join(", ");
    const record = { agentName: session.agent.name, title, toolKind, detail, effect, by, answer: label };
    this.options.history.record(record).catch((error: unknown) => {
      this.options.logger.warn("the permission history was not written", { reason: String(error) });
    });
    if (effect === "allow" && by === "user") this.#grants.add(session.sessionId, subject);
  }

  /** Returns the answer that a rule or a bypass gives without asking. Reject rules apply even during a bypass. */
  async #standingAnswer(
    session: AbilitySession,
    request: PermissionRequest,
    subject: PermissionSubject,
  ): Promise<PermissionAnswer | undefined> {
    if (subject.isUserOnly) return undefined;
    const { remembered } = this.options;
    const remembering = await remembered.inSession(subject, request, session);
    if (remembering) {
      // Without an option with the answer's effect, the user is asked.
      const chosen = optionFor(request, remembering.effect);
      return chosen && selected(chosen, remembering.label);
    }
    const option = optionFor(request, "allow");
    if (!option) return undefined;
    if (request.canBypass !== false && this.options.bypass.has(subject.agentId)) return selected(option, "bypass");
    // Guard rules apply to agents' calls, not to Symposium's own questions.
    if (request.hasOwnAnswers === true) return undefined;
    const lasting = await remembered.lasting(request, session);
    return lasting === undefined ? undefined : selected(option, lasting);
  }

  #ask(question: Omit<Pending, "settle">, signal: AbortSignal): Promise<PermissionAnswer> {
    const { session, request, subject, proposed } = question;
    const id = randomUUID();
    const card = permissionCard(id, request, subject, proposed?.label, session);
    session.publish({ op: "put", item: card });
    const stopWaiting = this.options.waiting.add(session, card.title);
    return new Promise((resolve) => {
      const settle = (answer: PermissionAnswer): void => {
        if (!this.#pending.delete(id)) return;
        signal.removeEventListener("abort", abort);
        stopWaiting();
        session.publish({ op: "put", item: answered(card, answer) });
        resolve(answer);
      };
      const abort = (): void => settle(cancelledAnswer(l10n.t("Cancelled")));
      this.#pending.set(id, { ...question, settle });
      signal.addEventListener("abort", abort, { once: true });
      if (proposed) void this.#offerLasting(proposed, session, card);
    });
  }

  /** Adds the option to remember the answer beyond the session to an open card, once a rule is known to express the answer. */
  async #offerLasting(proposed: ProposedAnswer, session: AbilitySession, card: ItemOf<"permission">): Promise<void> {
    const canLast = await this.options.remembered.canLast(proposed, session);
    if (canLast && this.#pending.has(card.id)) session.publish({ op: "put", item: { ...card, canLast } });
  }

  async #answerWaiting(): Promise<void> {
    for (const { session, request, subject, settle } of [...this.#pending.values()]) {
      const answer = await this.#standingAnswer(session, request, subject);
      if (answer) settle(answer);
    }
  }
}

type ResponseMessage = Omit<MessageOf<"approval-response">, "type">;

function sessionOf({ session }: AbilityCall): AbilitySession {
  if (session) return session;
  throw new RequestFailure(RpcError.invalidParams("the permission request doesn't name an open session"));
}

function optionOf(request: PermissionRequest, optionId: string): PermissionOption | undefined {
  return request.options.find((option) => option.optionId === optionId);
}

/**
 * Returns the option with the effect that lasts the shortest. Lasting answers are stored in Symposium's own rules, which the user can list
 * and remove.
 */
function optionFor(request: PermissionRequest, effect: "allow" | "reject"): PermissionOption | undefined {
  const { options } = request;
  return (
    options.find(({ kind }) => kind === `${effect}_once`) ?? options.find(({ kind }) => kind === `${effect}_always`)
  );
}

function selected({ optionId, name, kind }: PermissionOption, by: string): PermissionAnswer {
  const effect = kind.startsWith("reject") ? "reject" : "allow";
  return { outcome: { outcome: "selected", optionId }, effect, label: name, by };
}

function cancelledAnswer(label: string): PermissionAnswer {
  return { outcome: cancelled, effect: "cancel", label, by: "user" };
}

function answered(card: ItemOf<"permission">, { outcome, label, comment }: PermissionAnswer): ItemOf<"permission"> {
  const optionId = outcome.outcome === "selected" ? { optionId: outcome.optionId } : {};
  return { ...card, answer: { ...optionId, label, ...(comment === undefined ? {} : { comment }) } };
}

/** Returns the English text for the agent. */
function commentText(effect: Effect, title: string, comment: string): string {
  const verb = effect === "allow" ? "allowed" : "did not allow";
  return `I ${verb} "${title}". ${comment}`;
}

export interface Bypass {
  has(agentId: string): boolean;
  add(agentId: string): Promise<void>;
}

/** Paths that the user allowed for a tool call. A permission covers one write; reads stay allowed. */
class PathGrants {
  readonly #sessions = new Map<string, Map<string, "read" | "write">>();

  add(sessionId: string, { toolKind, paths }: PermissionSubject): void {
    const grants = this.#sessions.get(sessionId) ?? new Map<string, "read" | "write">();
    this.#sessions.set(sessionId, grants);
    for (const { real } of paths) {
      if (fileUses(toolKind)?.includes("write")) grants.set(real, "write");
      else if (!grants.has(real)) grants.set(real, "read");
    }
  }

  covers(sessionId: string, { real }: CheckedPath, use: "read" | "write"): boolean {
    const grants = this.#sessions.get(sessionId);
    const granted = grants?.get(real);
    if (use === "read") return granted !== undefined;
    if (granted === "write") grants?.set(real, "read");
    return granted === "write";
  }

  sessionEnded(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }
}
