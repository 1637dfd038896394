import { Chains } from "../chains/chains.js";
import { MovedSessions } from "../chains/moved-sessions.js";
import type { ChainChoices } from "./chain-choices.js";
import type { Environment } from "./environment.js";
import { MovedSessionsFile } from "./moved-sessions-file.js";
import { type ChainPlan, openChain } from "./open-chain.js";
import { serveChain } from "./serve-chain.js";

/** Serves one editor, beginning with the chain `plan`, whose user can choose another one while it runs. */
export async function serveChoices(plan: ChainPlan, choices: ChainChoices, environment: Environment): Promise<number> {
  // A trace names the components of the chain that it begins with.
  const later: Environment = { ...environment, announce: () => undefined };
  const { offer, choice, file } = choices;
  const movedFile = new MovedSessionsFile(environment.logger.child("chains"));
  const moved = new MovedSessions(await movedFile.read(), (all) => movedFile.write(all));
  const exitCode = await serveChain(
    environment,
    (client, { clientChannel, onFailure }) =>
      new Chains({
        client,
        clientChannel,
        logger: environment.logger.child("chains"),
        offer,
        choice,
        file,
        moved,
        first: (toClient, hooks) => openChain(plan, environment, toClient, hooks),
        open: async (wanted, toClient, hooks) => openChain(await choices.plan(wanted, later), later, toClient, hooks),
        save: (change) => choices.save(change),
        signInLine: (wanted) => choices.signInLine(wanted),
        onFailure: (failure) => onFailure?.(failure),
      }),
  );
  await movedFile.flushed();
  return exitCode;
}
