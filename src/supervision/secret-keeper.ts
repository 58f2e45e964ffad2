import type { SessionOptions } from '../launch/session-options.ts';
import type { Logger, SupervisorOptions } from '../launch/supervisor-options.ts';
import { Redaction } from '../redaction/redaction.ts';
import { secretsOfServers, secretVariables } from '../redaction/secret-names.ts';
import { Secrets } from '../redaction/secrets.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Sets of secrets that are ready to be searched for; sessions that are started alike share one. */
const SETS_KEPT = 20;
/** For Troupe's own log lines, whose session nobody knows: as many secrets are remembered, the newest. */
const VALUES_KEPT = 2_000;

/** Knows what is a secret: for each session, and for what the supervisor says by itself. */
export class SecretKeeper {
  readonly #options: Pick<SupervisorOptions, 'secrets' | 'env'>;
  readonly #host: () => Variables;
  readonly #sets = new Map<string, Secrets>();
  readonly #seen = new Set<string>();

  /** `host`: the variables of this process, which its sessions inherit. */
  constructor(options: Pick<SupervisorOptions, 'secrets' | 'env'>, host: () => Variables) {
    this.#options = options;
    this.#host = host;
  }

  /** For a session with these options. */
  redaction(options: Pick<SessionOptions, 'env' | 'mcpServers'>): Redaction {
    const own = [...this.#general(), ...this.#variables(options.env), ...this.servers(options.mcpServers)];
    return new Redaction((more) => this.#setOf([...own, ...more]));
  }

  /** The secrets in what MCP servers are started or called with. */
  servers(servers: unknown): string[] {
    return secretsOfServers(servers, this.#options.secrets?.env);
  }

  /** For whatever is not said by one session: the secrets of all. */
  readonly value = <Value>(value: Value): Value => this.#setOf([...this.#general(), ...this.#seen]).value(value);

  /** The logger, which hears no secret. Errors are handed on as their words and facts. */
  logger(logger: Logger | undefined): Logger | undefined {
    if (logger === undefined) return undefined;
    const say = (level: keyof Logger) => (facts: object, message: string) =>
      logger[level](this.value(withPlainErrors(facts)), this.value(message));
    return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  }

  #general(): string[] {
    const { secrets, env } = this.#options;
    return [...(secrets?.values ?? []), ...this.#variables(this.#host()), ...this.#variables(env)];
  }

  #variables(variables: Variables | undefined): string[] {
    return secretVariables(variables ?? {}, this.#options.secrets?.env);
  }

  #setOf(values: readonly string[]): Secrets {
    const { shapes = true } = this.#options.secrets ?? {};
    const all = [...new Set(values)].sort();
    this.#remember(all);
    const key = JSON.stringify(all);
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const patterns = typeof shapes === 'boolean' ? [] : shapes;
    const made = new Secrets({ values: all, hasShapes: shapes !== false, patterns });
    this.#sets.set(key, made);
    for (const oldest of this.#sets.keys()) {
      if (this.#sets.size <= SETS_KEPT) break;
      this.#sets.delete(oldest);
    }
    return made;
  }

  #remember(values: readonly string[]): void {
    for (const value of values) this.#seen.add(value);
    for (const oldest of this.#seen) {
      if (this.#seen.size <= VALUES_KEPT) break;
      this.#seen.delete(oldest);
    }
  }
}

/** What loggers show of an error stands in properties that are none of its data. */
function withPlainErrors(facts: object): object {
  const entries = Object.entries(facts).map(([name, value]) => [
    name,
    value instanceof Error ? plainError(value) : value,
  ]);
  return Object.fromEntries(entries);
}

function plainError(error: Error): Record<string, unknown> {
  const { name, message, stack } = error;
  return { ...error, type: name, message, stack };
}
