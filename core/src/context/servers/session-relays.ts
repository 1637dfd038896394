import { textOf } from "../../base/rpc/json.js";
import { hasCapability } from "../../base/acp/capabilities.js";
import { acpMethods } from "../../base/acp/methods.js";
import { Notification, Request } from "../../base/rpc/message.js";
import { ask } from "../../base/rpc/peer.js";
import type { ServerSession } from "./expanded-launch.js";
import type { ConnectionHost } from "./user-server-connection.js";

/**
 * What a server may ask of the sessions that have it: their folders, and forms and addresses for the user where the editor
 * shows them (ACP `elicitation/create`). Sampling is nobody's to answer: ACP has no request for it, so servers are not told
 * that they may ask. `session` is the one that is asked: of several, the one that was opened last.
 */
export function relaysOf(server: string, session: () => ServerSession): Pick<ConnectionHost, "roots" | "elicitation"> {
  const { clientCapabilities } = session();
  const form = hasCapability(clientCapabilities, "elicitation.form");
  const url = hasCapability(clientCapabilities, "elicitation.url");
  const roots = (): readonly string[] => session().roots;
  if (!form && !url) return { roots };
  return {
    roots,
    elicitation: {
      form,
      url,
      async ask({ _meta, message, ...params }, signal) {
        const { sessionId, client } = session();
        // There is nobody to ask yet: a form would have no place.
        if (sessionId === undefined) return { action: "cancel" };
        const asked = {
          mode: "form",
          // Stateless servers name none, and ACP wants one.
          ...(params["mode"] === "url" && { elicitationId: crypto.randomUUID() }),
          ...params,
          sessionId,
          message: `${server}: ${textOf(message)}`,
        };
        const request = Request.of(acpMethods.createElicitation, asked);
        const outcome = await ask(client, request, signal);
        return outcome.isError ? { action: "cancel" } : (outcome.json.object ?? { action: "cancel" });
      },
      completed({ elicitationId }) {
        if (typeof elicitationId !== "string") return;
        session().client.notify(Notification.of(acpMethods.completeElicitation, { elicitationId }));
      },
    },
  };
}
