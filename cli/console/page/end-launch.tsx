import { useRef, useState } from 'preact/hooks';
import { isHeld, isOver } from '../../view/phases.ts';
import { answered, api, type Launch } from './api.ts';
import { messageOf } from './hooks.ts';
import { titleOf } from './words.ts';

/** The button that ends a launch, and its question, which stays if the launch ends in the meantime. */
export function EndLaunch({ launch, onEnded }: { launch: Launch; onEnded: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [trouble, setTrouble] = useState<string>();
  const [isEnding, setEnding] = useState(false);
  const { launchId, status } = launch;
  const hasEnded = isOver(launch) || (status === 'cleaning' && !isHeld(launch));
  const close = () => dialog.current?.close();

  function open(): void {
    setTrouble(undefined);
    setOpen(true);
    dialog.current?.showModal();
  }

  async function end(): Promise<void> {
    setEnding(true);
    try {
      answered(await api.DELETE('/launches/{launchId}', { params: { path: { launchId } } }));
      close();
      focusTitle();
      onEnded();
    } catch (error) {
      setTrouble(messageOf(error));
    } finally {
      setEnding(false);
    }
  }

  function closed(): void {
    setOpen(false);
    if (hasEnded) focusTitle();
  }

  if (hasEnded && !isOpen) return null;
  return (
    <div class="actions">
      {hasEnded ? null : (
        <button type="button" class="danger" onClick={open}>
          {isHeld(launch) ? 'Remove its Pod now' : 'End this launch'}
        </button>
      )}
      <dialog ref={dialog} aria-labelledby="end-title" onClose={closed}>
        <h2 id="end-title">End {titleOf(launch)}?</h2>
        <p role="status">{hasEnded ? 'It has ended in the meantime.' : questionOf(launch)}</p>
        {trouble === undefined ? null : <p role="alert">{trouble}</p>}
        <div class="actions">
          <button type="button" onClick={close}>
            {hasEnded ? 'Close' : 'Keep it'}
          </button>
          {hasEnded ? null : (
            <button type="button" class="danger" disabled={isEnding} onClick={() => void end()}>
              {isEnding ? 'Ending …' : 'End it'}
            </button>
          )}
        </div>
      </dialog>
    </div>
  );
}

function questionOf({ job }: Launch): string {
  const removes = 'davit removes the Pod and the Service.';
  return job !== undefined && job.finishedAt === undefined
    ? `Its agent runs a job, which is lost. ${removes}`
    : removes;
}

/** The button that opened the dialog disappears, and would take the focus along. */
function focusTitle(): void {
  document.querySelector<HTMLElement>('#title')?.focus();
}
