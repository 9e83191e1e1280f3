import { LogOut, MonitorSmartphone, UserRound } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { soFar } from '../../api/cache.ts';
import { useEndSignIn, useForgetIdentity, useIdentities, useSignIns } from '../../api/keys.ts';
import type { IdentityRow, SignInRow } from '../../api/keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { Section } from './section.tsx';
import styles from './settings.module.css';

/** The sign-ins of a hosted service and their identities. */
export function SignInSettings(): ReactElement {
  const signIns = useSignIns();
  return (
    <div className={styles['sections']}>
      <Section
        title="Browsers that are signed in"
        action={
          <form method="post" action="/sign-out">
            <Button small type="submit">
              <LogOut size={14} aria-hidden /> Sign out here
            </Button>
          </form>
        }
      >
        <Loaded of={signIns}>
          {(rows) => (
            <ul className={styles['rows']}>
              {rows.toReversed().map((row) => (
                <SignInLine key={row.id} row={row} />
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
      <Identities />
    </div>
  );
}

function SignInLine({ row }: { readonly row: SignInRow }): ReactElement {
  const end = useEndSignIn();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <li className={styles['line']}>
      <MonitorSmartphone size={15} aria-hidden />
      <span className={styles['main']}>
        <strong>{row.name}</strong>
        <small>
          Signed in <Ago time={row.created_at} />, last used <Ago time={row.updated_at} />
        </small>
      </span>
      {row.current ? (
        <Badge tone="info">This browser</Badge>
      ) : (
        <Button small look="ghost" onClick={() => setConfirming(true)} aria-label={`End the sign-in of ${row.name}`}>
          End
        </Button>
      )}
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={`End the sign-in of ${row.name}?`}
        about="That browser has to sign in again. This cannot be undone."
        action="End sign-in"
        onConfirm={() => end.mutate({ sign_in_id: row.id })}
      />
    </li>
  );
}

/** People whom the identity provider authenticated, identified by their account at the first sign-in. */
function Identities(): ReactElement | null {
  const [forgetting, setForgetting] = useState<IdentityRow | undefined>(undefined);
  const forget = useForgetIdentity();
  const rows = soFar(useIdentities().data);
  if (rows.length === 0) return null;
  return (
    <Section title="People" about="Identified by their account at the identity provider at the first sign-in.">
      <ul className={styles['rows']}>
        {rows.map((row) => (
          <li key={row.id} className={styles['line']}>
            <UserRound size={15} aria-hidden />
            <span className={styles['main']}>
              <strong>{row.email}</strong>
              <small>{row.issuer}</small>
            </span>
            <Button small look="ghost" onClick={() => setForgetting(row)} aria-label={`Forget ${row.email}`}>
              Forget
            </Button>
          </li>
        ))}
      </ul>
      <Confirm
        open={forgetting !== undefined}
        onClose={() => setForgetting(undefined)}
        title={`Forget ${forgetting?.email ?? ''}?`}
        about="Their sign-ins end. The address is bound to the next account that signs in with it."
        action="Forget"
        onConfirm={() => forgetting !== undefined && forget.mutate({ identity_id: forgetting.id })}
      />
    </Section>
  );
}
