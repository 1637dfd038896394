import { textOf } from "../../base/rpc/json.js";
import { hasCapability } from "../../base/acp/capabilities.js";
import { acpMethods } from "../../base/acp/methods.js";
import { Notification, Request } from "../../base/rpc/message.js";
import { ask } from "../../base/rpc/peer.js";
import type { ServerSession } from "./expanded-launch.js";
import type { ConnectionHost } from "./user-server-connection.js";

/**
 * Relays a server's requests to its session: `roots`, and forms or URLs if the editor supports them (ACP `elicitation/create`). Sampling
 * isn't offered, since ACP has no request for it. `session` returns the most recently opened session.
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
        // The session isn't open yet, so the editor couldn't show a form.
        if (sessionId === undefined) return { action: "cancel" };
        const asked = {
          mode: "form",
          // ACP requires an id, but stateless servers send none.
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
