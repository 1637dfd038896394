// Stands for an extension host: starts an agent that ignores the end of its input and SIGTERM, and tells its pid.
import { AgentFixture } from "./conversation-fixture.js";

const agents = new AgentFixture({ args: () => ["--ignore-eof", "--ignore-sigterm"] });
const tab = agents.tab();
await tab.ask("child");
process.send?.([...agents.agents.pids, Number(/child (\d+)/.exec(tab.said)?.[1])]);
