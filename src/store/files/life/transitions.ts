/** Named for pairs of a state and an event that cannot occur. */
export const impossible = 'impossible';

interface Kind {
  readonly kind: string;
}

/** The result of an event: the next state, and the effects for the driver. */
export interface Step<Life, Effect> {
  readonly life: Life;
  readonly effects: readonly Effect[];
}

/** A transition for each pair of state and event: the compiler reports one that is missing. */
export type Transitions<Life extends Kind, Event extends Kind, Effect> = {
  readonly [S in Life['kind']]: {
    readonly [E in Event['kind']]:
      | ((life: Extract<Life, { readonly kind: S }>, event: Extract<Event, { readonly kind: E }>) => Step<Life, Effect>)
      | typeof impossible;
  };
};

/** The transition of a table for this state and event. Throws if the pair is impossible. */
export function follow<Life extends Kind, Event extends Kind, Effect>(
  transitions: Transitions<Life, Event, Effect>,
  life: Life,
  event: Event,
): Step<Life, Effect> {
  const transition = transitions[life.kind as Life['kind']][event.kind as Event['kind']];
  if (transition === impossible) throw new Error(`A ${life.kind} file cannot be ${event.kind}.`);
  return (transition as (life: Life, event: Event) => Step<Life, Effect>)(life, event);
}
