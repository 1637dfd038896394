import { messageOf, SymposiumError } from "../symposium-error.js";
import { Outcome, type Request } from "../rpc/message.js";
import type { Cancel, Reply } from "../rpc/peer.js";
import { RpcError } from "../rpc/rpc-error.js";
import type { IdeOperations } from "./ide-operations.js";
import { ideOperationReaders } from "./operation-types.js";
import { Fault } from "./reader.js";
import { type IdeOperationName, ideOperationMethod, ideOperationNames } from "./wire.js";

type OpenIdeOperations = (workspace: string) => IdeOperations | Promise<IdeOperations>;

type Handler = (request: Request, reply: Reply) => Cancel;

/** Creates handlers for the extension requests of all operations, for an editor or adapter. */
export function ideRequestHandlers(open: OpenIdeOperations): Readonly<Record<string, Handler>> {
  return Object.fromEntries(
    ideOperationNames.map((name): [string, Handler] => [
      ideOperationMethod(name),
      (request, reply) => {
        const controller = new AbortController();
        void answerIdeRequest(name, request, open, controller.signal).then(reply);
        return () => controller.abort();
      },
    ]),
  );
}

/** Runs the operation of a request. Never rejects: failures resolve with the caller's error. */
async function answerIdeRequest(
  name: IdeOperationName,
  request: Pick<Request, "params">,
  open: OpenIdeOperations,
  signal: AbortSignal,
): Promise<Outcome> {
  const given = request.params?.object;
  const workspace = given?.["workspace"];
  if (typeof workspace !== "string") {
    return Outcome.error(RpcError.invalidParams('workspace: expected the URI of a folder, such as "file:///project".'));
  }
  const params = ideOperationReaders[name].params(given, "");
  if (params instanceof Fault) return Outcome.error(RpcError.invalidParams(params.message));
  try {
    const operations = await open(workspace);
    return Outcome.of(await operations.run(name, params, signal));
  } catch (fault) {
    return Outcome.error(errorFor(fault, signal));
  }
}

function errorFor(fault: unknown, signal: AbortSignal): RpcError {
  if (signal.aborted || (fault instanceof SymposiumError && fault.code === "cancelled")) return RpcError.cancelled();
  if (!(fault instanceof SymposiumError)) return RpcError.internal(messageOf(fault));
  return RpcError.internal(fault.message, fault.hint === undefined ? undefined : { hint: fault.hint });
}
