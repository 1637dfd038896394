import { acpMethods } from "../../acp/methods.js";
import type { Logger } from "../../base/logger.js";
import { messageOf } from "../../base/symposium-error.js";
import { type Notification, Outcome, type Request } from "../../rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../rpc/peer.js";
import { RpcError } from "../../rpc/rpc-error.js";
import type { FileAccess } from "./file-access.js";
import { type Members, objectMember, textMember } from "./members.js";
import type { PermissionDesk } from "./permission-desk.js";
import { RefusedRequest } from "./refused-request.js";
import { safeLine } from "./safe-text.js";
import type { SessionView } from "./session-view.js";
import type { Transcript } from "./transcript.js";

export interface ChatClientOptions {
  readonly view: SessionView;
  readonly transcript: Transcript;
  readonly permissions: PermissionDesk;
  readonly files: FileAccess;
  readonly logger: Logger;
}

/** The client side of the chat: what the agent may report to the user and ask of them. */
export class ChatClient implements Peer {
  /** Updates of other sessions, such as subagents', are marked; undefined until our session is open. */
  sessionId: string | undefined;

  constructor(private readonly options: ChatClientOptions) {}

  request(request: Request, reply: Reply): Cancel {
    const { method } = request;
    const params = request.params?.object ?? {};
    const { permissions, files, transcript } = this.options;
    switch (method) {
      case acpMethods.requestPermission: {
        const withdrawal = new AbortController();
        this.#answer(method, permissions.decide(params, withdrawal.signal), reply);
        return () => withdrawal.abort();
      }
      case "fs/read_text_file": {
        const withdrawal = new AbortController();
        this.#answer(method, files.read(params, withdrawal.signal), reply);
        return () => withdrawal.abort();
      }
      case "fs/write_text_file": {
        const withdrawal = new AbortController();
        const written = files.write(params, withdrawal.signal).then(() => {
          transcript.remark(`wrote ${safeLine(textMember(params, "path") ?? "")}`);
          return {};
        });
        this.#answer(method, written, reply);
        return () => withdrawal.abort();
      }
      default:
        reply(Outcome.error(RpcError.methodNotFound(method)));
        return nothingToCancel;
    }
  }

  notify({ method, params }: Notification): void {
    if (method !== acpMethods.sessionUpdate) {
      this.options.transcript.remark(safeLine(`[${method}]`));
      return;
    }
    const update = objectMember(params?.object, "update") ?? {};
    const sessionId = textMember(params?.object, "sessionId");
    if (this.sessionId === undefined || sessionId === this.sessionId) this.options.view.show(update);
    else this.#remarkOnOther(sessionId ?? "", update);
  }

  #remarkOnOther(sessionId: string, update: Members): void {
    const kind = textMember(update, "sessionUpdate") ?? "update";
    this.options.transcript.remark(safeLine(`[session ${sessionId}] ${kind}`));
  }

  #answer(method: string, result: Promise<unknown>, reply: Reply): void {
    result.then(
      (value) => reply(Outcome.of(value)),
      (error: unknown) => {
        const failure = error instanceof RefusedRequest ? error.error : RpcError.internal(messageOf(error));
        this.options.logger.warn("refused a request of the agent", { method, code: failure.code });
        reply(Outcome.error(failure));
      },
    );
  }
}
