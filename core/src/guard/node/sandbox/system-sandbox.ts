import type { Confinement } from "../../../base/node/confinement.js";
import type { SandboxNetwork } from "../network/sandbox-network.js";
import { Bubblewrap } from "./bubblewrap.js";
import type { WatchPaths } from "./missing-paths.js";
import type { SandboxSubject } from "./sandbox-paths.js";
import { Seatbelt } from "./seatbelt.js";

/** What makes sandboxes on this machine. */
export interface SandboxMaker {
  readonly kind: "bubblewrap" | "seatbelt";
  /** Its absolute path. */
  readonly program: string;
}

interface SystemSandboxOptions {
  readonly subject: () => SandboxSubject;
  /** Absent: no way out. */
  readonly network?: Omit<SandboxNetwork, "close">;
  readonly watch?: WatchPaths;
  /** Called where a program is ended before it starts, since a path leads elsewhere than it did when it was looked at. */
  readonly refused?: (path: string | undefined) => void;
}

/** The sandbox of this system. */
export function systemSandbox(
  { kind, program }: SandboxMaker,
  { network, refused, ...options }: SystemSandboxOptions,
): Confinement {
  switch (kind) {
    case "bubblewrap":
      return new Bubblewrap({ ...options, program, network, ...(refused && { refused }) });
    case "seatbelt":
      return new Seatbelt({ ...options, program, network: network?.shared });
  }
}
