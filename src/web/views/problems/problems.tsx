import { CircleCheck, Stethoscope, Wrench } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { soFar } from '../../api/cache.ts';
import { useDoctor, useProblems } from '../../api/problems.ts';
import type { Diagnosis, Problem } from '../../api/problems.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { keyOfProblem, ProblemList } from '../../ui/problem-list.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import styles from './problems.module.css';

/** Files that a person has to correct: path, reason and remedy. */
export function Problems(): ReactElement {
  const projectId = useProjectId();
  useTitle('Problems');
  const found = useProblems(projectId);
  const doctor = useDoctor();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Page
      title="Problems"
      about="Your plan is files, so an editor, a merge or a disk can leave one that cannot be read. Planner neither changes nor discards it: repair the file in your editor, and Planner reloads it."
      actions={
        <>
          <Button onClick={() => doctor.mutate({ repair: false })} disabled={doctor.isPending}>
            <Stethoscope size={15} aria-hidden /> {doctor.isPending ? 'Checking…' : 'Check every file'}
          </Button>
          <Button onClick={() => setConfirming(true)} disabled={doctor.isPending}>
            <Wrench size={15} aria-hidden /> Repair what is safe
          </Button>
        </>
      }
    >
      <Loaded of={found} view="rows">
        {({ problems }) =>
          problems.length === 0 ? (
            <Empty icon={CircleCheck} title="Every file of this project is valid">
              Problems of files appear here, with path, line and remedy.
            </Empty>
          ) : (
            <ProblemList problems={problems} label="Files of this project" />
          )
        }
      </Loaded>
      {doctor.data === undefined ? null : <Checked diagnosis={doctor.data} known={soFar(found.data?.problems)} />}
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        danger={false}
        title="Repair what can be repaired safely?"
        about="Every file of the root is checked. Torn ends of history are removed, copied records get their own ids, settings that git and the service need are corrected. Anything that only a person can decide is left unchanged."
        action="Repair"
        onConfirm={() => doctor.mutate({ repair: true })}
      />
    </Page>
  );
}

/** The findings of the check outside this project, and its repairs. */
function Checked({
  diagnosis: { problems, mended },
  known,
}: {
  readonly diagnosis: Diagnosis;
  readonly known: readonly Problem[];
}): ReactElement {
  const here = new Set(known.map(keyOfProblem));
  const others = problems.filter((problem) => !here.has(keyOfProblem(problem)));
  return (
    <section className={styles['checked']} aria-labelledby="checked" role="status">
      <h2 id="checked">The whole root was checked</h2>
      {mended.length === 0 ? null : (
        <ul className={styles['repaired']}>
          {mended.map((what) => (
            <li key={what}>{what}</li>
          ))}
        </ul>
      )}
      {others.length === 0 ? (
        <p>{problems.length === 0 ? 'Nothing is wrong anywhere.' : 'Nothing else is wrong.'}</p>
      ) : (
        <ProblemList problems={others} label="Elsewhere in the root" />
      )}
    </section>
  );
}
