/** Keys as they are labelled, and their action. */
export type KeyList = readonly (readonly [keys: string, action: string])[];
