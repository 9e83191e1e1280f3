import type { AnswerStore } from '../storage/answer-store.ts';
import { commitBarrier } from './pg-append.ts';
import type { PgDeps } from './pg-deps.ts';
import type { PgRequirements } from './pg-requirements.ts';
import { untilAnswered } from './pg-retry.ts';

export interface PgAnswersDeps extends PgDeps {
  readonly requirements: PgRequirements;
  /** Returns whether an answer is stored, in one statement with the questions of other callers. */
  readonly isAnswered: (id: string) => Promise<boolean>;
}

const sweptAtOnce = 1000;

/** Answers in a table. `PgLog` inserts them. */
export class PgAnswers implements AnswerStore {
  readonly #deps: PgAnswersDeps;

  constructor(deps: PgAnswersDeps) {
    this.#deps = deps;
  }

  /**
   * Most calls were not answered before, and share a statement. An answer that is there acknowledges its entry again,
   * so it is read after a separate commit, which means that the entry is replicated.
   */
  async find(id: string): Promise<string | undefined> {
    const { isAnswered, pool, tables, requirements } = this.#deps;
    if (!(await isAnswered(id))) return undefined;
    const [row] = await untilAnswered(this.#deps.retries, () =>
      pool.query({
        name: 'planner_answer',
        text: `SELECT a.kept, barrier.unmet, barrier.lsn FROM ${commitBarrier(requirements)}
          LEFT JOIN ${tables.of('answer')} a ON a.id = $1 AND a.expires_at > clock_timestamp()`,
        values: [id],
      }),
    );
    requirements.require(row![1]);
    return (row![0] as string | null) ?? undefined;
  }

  async sweep(): Promise<number> {
    const { pool, tables } = this.#deps;
    const answer = tables.of('answer');
    for (let removed = 0; ;) {
      const [row] = await untilAnswered(this.#deps.retries, () =>
        pool.query({
          name: 'planner_sweep_answers',
          text: `WITH swept AS (
              DELETE FROM ${answer} WHERE id IN (
                SELECT a.id FROM ${answer} a WHERE a.expires_at <= clock_timestamp()
                ORDER BY a.expires_at LIMIT ${sweptAtOnce}
              ) RETURNING 1
            ) SELECT count(*)::int FROM swept`,
          values: [],
        }),
      );
      const some = row![0] as number;
      removed += some;
      if (some < sweptAtOnce) return removed;
    }
  }
}
