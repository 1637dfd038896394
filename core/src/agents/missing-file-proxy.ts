import { acpMethods } from "../base/acp/methods.js";
import { asObject } from "../base/rpc/json.js";
import { Outcome } from "../base/rpc/message.js";
import { rpcErrorCodes } from "../base/rpc/rpc-error.js";
import type { Proxy } from "../conductor/chain/proxy.js";

/**
 * Answers reads of missing files with an empty text for agents that read each file before they create it and take the editor's error for
 * a failure of their tool. See `failsOnMissingFiles` in the agent table.
 */
export function missingFileProxy(): Proxy {
  return {
    name: "missing files",
    connect: ({ client, successor }) => {
      let agent: unknown;
      return {
        clientRequests: {
          [acpMethods.initialize]: (request, reply) =>
            successor.request(request, (outcome) => {
              agent = asObject(outcome.json.object?.["agentInfo"])?.["name"];
              reply(outcome);
            }),
        },
        agentRequests: {
          "fs/read_text_file": (request, reply) =>
            client.request(request, (outcome) => {
              if (!outcome.isError || outcome.json.object?.["code"] !== rpcErrorCodes.notFound) return reply(outcome);
              // The table is loaded only now, because editors wait for the start.
              void import("./agent-quirks.js").then(({ failsOnMissingFiles }) =>
                reply(failsOnMissingFiles(agent) ? Outcome.of({ content: "" }) : outcome),
              );
            }),
        },
      };
    },
  };
}
