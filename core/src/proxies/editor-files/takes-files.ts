import { hasCapability } from "../../conductor/capability.js";
import type { Request } from "../../rpc/message.js";

/** Whether a client that sends this `initialize` reads and writes files for agents. */
export function takesFiles({ params }: Request): boolean {
  const capabilities = params?.object?.["clientCapabilities"];
  return hasCapability(capabilities, "fs.readTextFile") && hasCapability(capabilities, "fs.writeTextFile");
}
