import { homedir } from "node:os";
import type { Logger } from "../../../base/logger.js";
import { proxiedFetch } from "../../../base/node/proxied-fetch.js";
import type { Expand } from "../expanded-launch.js";
import { assertNoFault } from "../../../base/symposium-error.js";
import { serverFault } from "../../../settings/managed-policy/managed-policy.js";
import { serverIdentity } from "../../../settings/managed-policy/node/server-identity.js";
import { systemPolicy } from "../../../settings/managed-policy/node/system-policy.js";
import { expandOAuth, expandWith } from "./expand-launch.js";
import { InputQuestions } from "./input-questions.js";
import { LoginStore } from "./oauth/login-store.js";
import { SessionSignIns } from "./oauth/session-sign-ins.js";
import { SecretFile } from "./secrets/secret-file.js";
import type { FindSignIn } from "./sign-in.js";

interface AccessOptions {
  readonly logger: Logger;
  /** Called with every secret, to redact it from traces. */
  readonly learn: (secret: string) => void;
  /** Called when a sign-in made the server usable or added scopes. */
  readonly signedIn: (serverName: string) => void;
}

export function serverAccess({ logger, learn, signedIn }: AccessOptions): {
  readonly expand: Expand;
  readonly findSignIn: FindSignIn;
} {
  const { secrets, store } = userAccess(learn);
  const questions = new InputQuestions({ secrets, logger });
  const missesInputs = questions.ask.bind(questions);
  const values = { secrets, env: process.env, home: homedir(), learn };
  const signIns = new SessionSignIns({
    store,
    fetch: oauthFetch,
    logger,
    signedIn,
    oauthOf: (server, session) => expandOAuth(server, session, values),
  });
  return {
    expand: allowedOnly(expandWith({ ...values, missesInputs })),
    findSignIn: signIns.find,
  };
}

/** Rejects servers that the organisation doesn't allow, with the values that the server would really start with. */
function allowedOnly(expand: Expand): Expand {
  return async (server, session) => {
    const [launch, policy] = await Promise.all([expand(server, session), systemPolicy()]);
    if (policy && !("missing" in launch)) {
      assertNoFault("forbidden-by-policy", serverFault(policy, server.name, await serverIdentity(launch)));
    }
    return launch;
  };
}

export function userAccess(learn: (secret: string) => void = () => undefined): {
  readonly secrets: SecretFile;
  readonly store: LoginStore;
} {
  const secrets = new SecretFile();
  return { secrets, store: new LoginStore({ file: secrets, fetch: oauthFetch, learn }) };
}

const answerMs = 30_000;

/** `fetch` for authorization servers. Supports company proxies. */
export const oauthFetch: typeof fetch = (input, init) =>
  proxiedFetch(input, { signal: AbortSignal.timeout(answerMs), ...init });
