import { FolderPlus, Import, Plus } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { useCreateSample, useProjects, useProjectProblems } from '../../api/projects.ts';
import type { Problem } from '../../api/problems.ts';
import { useQueryValue } from '../../shell/query-state.ts';
import { useTitle } from '../../shell/title.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemList } from '../../ui/problem-list.tsx';
import { Page } from '../../ui/page.tsx';
import { Since } from '../overview/since.tsx';
import { Empty, Loaded, Skeleton } from '../../ui/states.tsx';
import { CreateProject } from './create-project.tsx';
import styles from './home.module.css';
import { ImportPlan } from './import-plan.tsx';
import { ProjectCard } from './project-card.tsx';

/** Every project of the root, with progress and recent changes. */
export function Home(): ReactElement {
  useTitle('Projects');
  const projects = useProjects();
  const problems = useProjectProblems();
  const [creating, setCreating] = useState(false);
  const [importing, setImporting] = useQueryValue<'' | 'plan'>('import', '');
  return (
    <Page
      title="Projects"
      actions={
        <>
          <Button onClick={() => setImporting('plan')}>
            <Import size={16} aria-hidden /> Import
          </Button>
          <Button look="primary" onClick={() => setCreating(true)}>
            <Plus size={16} aria-hidden /> New project
          </Button>
        </>
      }
    >
      {problems === undefined || problems.length === 0 ? null : <ProjectProblems problems={problems} />}
      <Loaded of={projects} view="cards">
        {(rows) =>
          rows.length > 0 ? (
            <>
              <ul className={styles['grid']}>
                {rows.map((project) => (
                  <li key={project.id}>
                    <ProjectCard project={project} />
                  </li>
                ))}
              </ul>
              <div className={styles['recent']}>
                <Since names={new Map(rows.map(({ id, name }) => [id, name]))} />
              </div>
            </>
          ) : problems === undefined ? (
            <Skeleton view="cards" />
          ) : problems.length > 0 ? null : (
            <Empty
              icon={FolderPlus}
              title="No project yet"
              actions={
                <>
                  <Button look="primary" onClick={() => setCreating(true)}>
                    Create the first one
                  </Button>
                  <TrySample />
                </>
              }
            >
              A project is a folder of Markdown and JSON in <code>.planner</code>, beside your code. People plan here,
              agents work through MCP, and both see the same.
            </Empty>
          )
        }
      </Loaded>
      {importing === 'plan' ? <ImportPlan onClose={() => setImporting('')} /> : null}
      {creating ? <CreateProject onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

/** A plan to look around in; like any project, it can be deleted. */
function TrySample(): ReactElement {
  const create = useCreateSample();
  const navigate = useNavigate();
  const open = async (): Promise<void> => {
    const made = await create.mutateAsync({}).catch(() => undefined);
    if (made !== undefined) await navigate(`/projects/${made.id}`);
  };
  return (
    <Button disabled={create.isPending} onClick={() => void open()}>
      Try a sample plan
    </Button>
  );
}

/** Plans that are on the disk and not shown, or as they were, so that they are not taken for lost. */
function ProjectProblems({ problems }: { readonly problems: readonly Problem[] }): ReactElement {
  return (
    <section className={styles['problems']} aria-labelledby="problems">
      <h2 id="problems">A person has to repair</h2>
      <p>
        A project is read from its <code>project.json</code>. Nothing beside these files is lost.
      </p>
      <ProblemList problems={problems} label="Files of projects" />
    </section>
  );
}
