/** A key of a service, as its list has it. */
export interface Key {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly project_id: string | null;
  readonly created_at: string;
}

/** A new key with its secret, which is returned only at creation. */
export interface NewKey extends Key {
  readonly secret: string;
}
