import type { ReactElement } from 'react';
import { useDeliveries, useRedeliver } from '../../api/webhooks.ts';
import type { DeliveryRow, WebhookRow } from '../../api/webhooks.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Loaded, None } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import styles from './settings.module.css';

/** The last attempts of a webhook with their answers, the newest first. */
export function Deliveries({ webhook: { id, url } }: { readonly webhook: WebhookRow }): ReactElement {
  const deliveries = useDeliveries(id);
  return (
    <Loaded of={deliveries} parts={2}>
      {(rows) =>
        rows.length === 0 ? (
          <None>Nothing was sent yet.</None>
        ) : (
          <ul className={styles['rows']} aria-label={`Deliveries to ${url}`}>
            {rows.toReversed().map((delivery) => (
              <DeliveryLine key={delivery.id} delivery={delivery} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function DeliveryLine({ delivery }: { readonly delivery: DeliveryRow }): ReactElement {
  const { id, webhook_id, type, attempt, redelivery, delivered, status, error, answer, duration_ms: ms } = delivery;
  const again = useRedeliver();
  return (
    <li className={styles['line']}>
      <Badge tone={delivered ? 'good' : 'danger'}>{status ?? 'No answer'}</Badge>
      <span className={styles['main']}>
        <strong>{type}</strong>
        <small>
          <Ago time={delivery.created_at} />, {ms} ms
          {redelivery ? ', sent again' : attempt > 1 ? `, attempt ${attempt}` : ''}
          {error === null ? '' : `: ${error}`}
        </small>
        {answer === null || answer === '' ? null : <pre className={styles['answer']}>{answer}</pre>}
      </span>
      <Button
        small
        look="ghost"
        disabled={again.isPending}
        aria-label={`Send ${type} again`}
        onClick={() => again.mutate({ webhook_id, delivery_id: id })}
      >
        Send again
      </Button>
    </li>
  );
}
