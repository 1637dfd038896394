import type { SandboxOffer } from "../features/guard/sandbox-offer.js";
import type { PagePanel } from "../features/pages/page-panel.js";
import { type GuardServicesOptions, guardPanel, sandboxOffer } from "./guard-services.js";
import { mcpServersPanel } from "./mcp-services.js";

type PageServicesOptions = Parameters<typeof mcpServersPanel>[0] & GuardServicesOptions;

export class PageServices {
  #mcpServers: PagePanel | undefined;
  #guard: PagePanel | undefined;

  readonly sandboxOffer: SandboxOffer;

  constructor(private readonly options: PageServicesOptions) {
    this.sandboxOffer = sandboxOffer(options, {
      show: () => this.showGuard(),
      refreshIfSeen: () => this.#guard?.refreshIfSeen(),
    });
  }

  showMcpServers(): Promise<void> {
    this.#mcpServers ??= mcpServersPanel(this.options);
    return this.#mcpServers.show();
  }

  showGuard(): Promise<void> {
    this.#guard ??= guardPanel(this.options);
    return this.#guard.show();
  }
}
