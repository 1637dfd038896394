import { messageOf } from "../../../base/symposium-error.js";
import { RequestFailure } from "../../../conductor/client/agent-errors.js";
import type { HostDisk } from "../../../sessions/host/live-session.js";
import { Outcome } from "../../../base/rpc/message.js";
import { RpcError } from "../../../base/rpc/rpc-error.js";
import { FileAccess } from "../terminal-chat/file-access.js";

/** File access for a session's folder. The conductor has already checked each request against the user's rules. */
export const hostDisk: HostDisk = {
  async answer({ method, params }, folder) {
    const files = new FileAccess(folder, { allowsFile: () => Promise.resolve(true) });
    const { signal } = new AbortController();
    const given = params?.object ?? {};
    try {
      if (method === "fs/read_text_file") return Outcome.of(await files.read(given, signal));
      await files.write(given, signal);
      return Outcome.of({});
    } catch (fault) {
      return Outcome.error(fault instanceof RequestFailure ? fault.error : RpcError.internal(messageOf(fault)));
    }
  },
};
