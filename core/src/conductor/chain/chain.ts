import type { LineChannel } from "../../base/line-channel-contract.js";
import type { Logger } from "../../base/logger.js";
import { Scope } from "../../base/scope.js";
import type { McpBridge } from "../../base/mcp/mcp-server.js";
import { McpServerTable, readDeclaration } from "../../base/mcp/server-table.js";
import type { Connection } from "../../base/rpc/connection.js";
import { Outcome, type Request } from "../../base/rpc/message.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { ComponentProcess, StartProcess } from "../../base/component-process.js";
import { type AgentComponent, nameOf, type ProcessComponent, type ProxyComponent } from "./component.js";
import { ClosableAgent } from "./emulate-session-close.js";
import { ExternalAgent } from "./external-agent.js";
import { ExternalProxy } from "./external-proxy.js";
import { type ChainFailure, exitFailure, type PlaceNames, silenceFailure, stallFailure } from "./failure.js";
import { InProcessProxy } from "./in-process-proxy.js";
import { type Link, type Neighbours, PeerSlot } from "./link.js";
import { McpGate } from "./mcp-gate.js";
import type { Proxy, ProxyHandlers, RefuseFile } from "./proxy.js";
import { Json } from "../../base/rpc/json.js";
import { elementsOf, memberOf } from "../../base/rpc/json-edit.js";
import { currentDialect, type ProxyDialect } from "./proxy-dialect.js";

export interface ChainEnvironment {
  readonly startProcess: StartProcess;
  /** Starts the agent; default is `startProcess`. */
  readonly startAgent?: StartProcess;
  readonly bridge: McpBridge;
  readonly logger: Logger;
  /** Maximum length of a message's line, in bytes. Longer messages fail. */
  readonly maxLineBytes: number;
  /** Resolves a folder to an absolute path, relative to the folder of this process. */
  readonly absoluteFolder?: (path: string) => string;
  /** Inserts a trace between two members. Returns the peer to use instead of `peer`. */
  tap?(peer: Peer, from: string, to: string): Peer;
}

export interface ChainOptions {
  readonly proxies: readonly ProxyComponent[];
  /** Proxies that follow `proxies` in the chain. Like the gate, they belong to the agent's hop, and traces don't list them. */
  readonly lastProxies?: readonly Proxy[];
  /** End of the chain: an agent, or `successor`, the rest of another conductor's chain. */
  readonly end: { readonly agent: AgentComponent } | { readonly successor: Peer; canCarryMcp(): boolean };
  readonly client: Peer;
  /** Editor's channel, if any, for back-pressure. */
  readonly clientChannel: LineChannel | undefined;
  readonly environment: ChainEnvironment;
  readonly places?: PlaceNames;
  onFailure(failure: ChainFailure): void;
  /**
   * Called if a proxy turns out to be an MCP server and has been removed and ended. If this callback is absent, such a proxy is a failure.
   */
  readonly onMcpServer?: (component: ProcessComponent) => void;
}

const clientName = "Client";
const agentName = "Agent";

/** Connected members of one chain. Messages from the editor enter at {@link first}; messages for the editor go to `client`. */
export class Chain implements AsyncDisposable {
  readonly #scope = new Scope();
  readonly #servers = new McpServerTable();
  /** Tool checks of the proxies that have one. */
  readonly #toolJudges: NonNullable<ProxyHandlers["refuseTool"]>[] = [];
  readonly #fileJudges: RefuseFile[] = [];
  readonly #channels: LineChannel[] = [];
  readonly #processes: ComponentProcess[] = [];
  readonly #waiting: { readonly name: string; readonly isInitializing: () => boolean }[] = [];
  readonly first: Peer;
  /** Peer that the successor calls in proxy mode. */
  readonly fromEnd: Peer;
  #isClosing = false;

  constructor(private readonly options: ChainOptions) {
    const { client, clientChannel, end, lastProxies = [] } = options;
    if (clientChannel) this.#channels.push(clientChannel);
    const names = [clientName, ...options.proxies.map(nameOf), agentName];
    const makers = [
      ...options.proxies.map((proxy) => (neighbours: Neighbours) => this.#proxy(proxy, neighbours)),
      ...lastProxies.map((proxy) => (neighbours: Neighbours) => this.#inProcess(proxy, neighbours)),
      (neighbours: Neighbours) => this.#gate(neighbours),
    ];
    const toSuccessor = makers.map(() => new PeerSlot());
    let towardClient = client;
    const links: Link[] = [];
    for (const [index, make] of makers.entries()) {
      const name = names[index + 1] ?? agentName;
      // The last proxies belong to the agent's hop, so that a trace shows what the agent gets.
      const isOfLastHop = index >= options.proxies.length;
      const before = names[index] ?? clientName;
      const successor = slotAt(toSuccessor, index);
      const link = make({ client: isOfLastHop ? towardClient : this.#tap(towardClient, name, before), successor });
      links.push(link);
      if (index > 0) {
        slotAt(toSuccessor, index - 1).connectTo(this.#tapUnless(isOfLastHop, link.fromClient, before, name));
      }
      towardClient = link.fromSuccessor;
    }
    const last = names[names.length - 2] ?? clientName;
    const gateSlot = slotAt(toSuccessor, makers.length - 1);
    if ("agent" in end) {
      const agent = this.#agent(end.agent, this.#tap(towardClient, agentName, last));
      gateSlot.connectTo(new ClosableAgent(this.#tap(agent, last, agentName)));
    } else gateSlot.connectTo(end.successor);
    this.first = this.#tapUnless(
      options.proxies.length === 0,
      links[0]?.fromClient ?? gateSlot,
      clientName,
      names[1] ?? agentName,
    );
    this.fromEnd = towardClient;
    new Flow(this.#channels, "successor" in end);
  }

  /** Component that delays `initialize`: of the components that haven't answered yet, the last to receive the request. */
  get initializingComponent(): string | undefined {
    return this.#waiting.findLast((component) => component.isInitializing())?.name;
  }

  /** Stops all components in parallel. Resolves after all processes have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#processes.map((process) => process[Symbol.asyncDispose]()));
    await this.#scope[Symbol.asyncDispose]();
  }

  #tap(peer: Peer, from: string, to: string): Peer {
    return this.options.environment.tap?.(peer, from, to) ?? peer;
  }

  #tapUnless(isUntapped: boolean, peer: Peer, from: string, to: string): Peer {
    return isUntapped ? peer : this.#tap(peer, from, to);
  }

  #gate(neighbours: Neighbours): Link {
    const { end, environment } = this.options;
    return this.#scope.add(
      new McpGate({
        neighbours,
        servers: this.#servers,
        bridge: environment.bridge,
        logger: environment.logger.child("mcp"),
        isProxyMode: "successor" in end,
        toolJudges: this.#toolJudges,
        canCarryMcp: () => "agent" in end || end.canCarryMcp(),
      }),
    );
  }

  readonly #refuseFile: RefuseFile = (path, isWritten) =>
    this.#fileJudges.reduce<string | undefined>((reason, judge) => reason ?? judge(path, isWritten), undefined);

  #inProcess(proxy: Proxy, neighbours: Neighbours): Link {
    const logger = this.options.environment.logger.child(`proxy.${proxy.name}`);
    const link = this.#scope.add(new InProcessProxy(proxy, neighbours, logger, this.#servers, this.#refuseFile));
    if (link.refuseTool) this.#toolJudges.push(link.refuseTool);
    if (link.refuseFile) this.#fileJudges.push(link.refuseFile);
    return link;
  }

  #proxy(component: ProxyComponent, neighbours: Neighbours): Link {
    if (component.kind === "proxy") return this.#inProcess(component.proxy, neighbours);
    const logger = this.options.environment.logger.child(`proxy.${component.name}`);
    const { onMcpServer } = this.options;
    return this.#start(component, this.options.places?.proxies, (send, onMistaken, standAside) => {
      const proxy = new ExternalProxy({
        name: component.name,
        neighbours,
        logger,
        send,
        onMistaken,
        ...(onMcpServer && {
          onMcpServer: () => {
            standAside();
            onMcpServer(component);
          },
        }),
        ...(this.options.places && { places: this.options.places }),
        ...(component.options && { options: component.options }),
        onSessionSetup: (before, after, dialect) =>
          noteDeclaredServers(this.#servers, component.name, before, after, dialect),
      });
      return { member: proxy, connection: proxy.connection, isInitializing: () => proxy.isInitializing };
    });
  }

  #agent(component: AgentComponent, client: Peer): Peer {
    if (component.kind === "agent") {
      const connected = component.agent.connect(client);
      this.#scope.add(async () => connected[Symbol.asyncDispose]?.());
      return connected.fromClient;
    }
    const logger = this.options.environment.logger.child("agent");
    const { startAgent } = this.options.environment;
    const connect: Connect<Peer> = (send, onMistaken) => {
      const agent = new ExternalAgent({ name: component.name, client, logger, send, onMistaken });
      return { member: agent.fromClient, connection: agent.connection, isInitializing: () => agent.isInitializing };
    };
    return this.#start(component, this.options.places?.agent, connect, startAgent);
  }

  #start<Member>(
    { name, command }: ProcessComponent,
    place: string | undefined,
    connect: Connect<Member>,
    start: StartProcess = this.options.environment.startProcess,
  ): Member {
    const { environment } = this.options;
    const { member, connection, isInitializing } = connect(
      (line) => process.send(line),
      (failure) => fail(failure),
      () => {
        isAside = true;
        void process[Symbol.asyncDispose]();
      },
    );
    let isAside = false;
    const process = start(name, command, {
      line: (line) => connection.receive(line),
      oversize: (line) => connection.receiveOversize(line, environment.maxLineBytes),
      end: () => {
        setTimeout(() => fail(silenceFailure(name)), exitAfterEndMs).unref?.();
      },
      stalled: (ms) => fail(stallFailure(name, ms, this.options.places)),
    });
    const fail = (failure: ChainFailure): void => {
      if (!this.#isClosing && !isAside) this.options.onFailure(failure);
      // Fails pending requests even while closing, so that no caller waits for an answer that can't arrive.
      connection.close(Outcome.error(failure.error));
    };
    void process.exited.then((exit) => fail(exitFailure(name, command, exit, place)));
    this.#channels.push(process);
    this.#waiting.push({ name, isInitializing });
    this.#processes.push(process);
    return member;
  }
}

type Connect<Member> = (
  send: (line: string) => void,
  onMistaken: (failure: ChainFailure) => void,
  standAside: () => void,
) => {
  member: Member;
  connection: Connection;
  isInitializing: () => boolean;
};

/** Maximum time for a component to exit after its output ended. The exit status explains more than the end of the output. */
const exitAfterEndMs = 1_000;

function slotAt(slots: readonly PeerSlot[], index: number): PeerSlot {
  const slot = slots[index];
  if (!slot) throw new RangeError(`no member ${index} in the chain`);
  return slot;
}

/**
 * End-to-end back-pressure: pauses reading a channel while a neighbor that receives its messages is congested. This bounds a chain's
 * memory, and lets a slow editor slow down the agent.
 */
export class Flow {
  readonly #paused = new Set<LineChannel>();

  /** `channels` are in chain order, starting with the editor's. `isRing` means that the last channel's successor is the first channel. */
  constructor(
    private readonly channels: readonly LineChannel[],
    private readonly isRing: boolean,
  ) {
    for (const channel of channels) channel.onCongestion(() => this.#update());
  }

  #update(): void {
    for (const [index, channel] of this.channels.entries()) {
      const mustWait = this.#mustWait(index, channel);
      if (mustWait === this.#paused.has(channel)) continue;
      if (mustWait) {
        this.#paused.add(channel);
        channel.pause();
      } else {
        this.#paused.delete(channel);
        channel.resume();
      }
    }
  }

  /**
   * A congested component may be blocked on its output, so pausing its reads could deadlock. The single channel of a ring waits only for
   * itself.
   */
  #mustWait(index: number, channel: LineChannel): boolean {
    if (this.channels.length === 1) return this.isRing && channel.isCongested;
    return !channel.isCongested && (this.#isCongested(index - 1) || this.#isCongested(index + 1));
  }

  #isCongested(index: number): boolean {
    const { length } = this.channels;
    const place = this.isRing ? (index + length) % length : index;
    return this.channels[place]?.isCongested === true;
  }
}

/**
 * Records the MCP servers that a proxy adds to a session, with the servers' dialect. The form of a declaration identifies the oldest
 * dialect; otherwise the proxy's own dialect decides between the two later ones. Dispose the result when the session ends.
 */
export function noteDeclaredServers(
  servers: McpServerTable,
  owner: string,
  before: Iterable<Request>,
  after: Request,
  dialect: ProxyDialect,
): Disposable {
  const notes: Disposable[] = [];
  const known = new Set(Array.from(before, references).flat());
  for (const reference of references(after)) {
    if (known.has(reference)) continue;
    const later = dialect === currentDialect ? "current" : "mid";
    notes.push(servers.note(reference, reference.startsWith("acp:") ? "legacy" : later, owner));
  }
  return {
    [Symbol.dispose]: () => {
      for (const note of notes.splice(0)) note[Symbol.dispose]();
    },
  };
}

function references(request: Request): string[] {
  const declared = request.params && memberOf(request.params, "mcpServers");
  const entries = elementsOf(declared ?? Json.ofText("[]")) ?? [];
  return entries.flatMap((entry) => readDeclaration(entry).reference ?? []);
}
