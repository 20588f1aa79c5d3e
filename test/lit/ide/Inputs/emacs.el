;; A recording of desk.c in Emacs, with dap-mode and the configuration that
;; $CONFIGURATION has. Each stop is waited for.
(setq lsp-session-file (expand-file-name "lsp-session")
      dap-breakpoints-file (expand-file-name "dap-breakpoints")
      lsp-auto-guess-root t)
(load (getenv "CONFIGURATION") nil t)

(defconst sold 16)
(defvar stops nil "What the adapter said of its stops, the last one first.")
(defvar places nil "Where they were.")

(defun seen (session event)
  (let ((name (gethash "event" event)))
    (cond ((equal name "stopped") (push (gethash "body" event) stops))
          ((equal name "rewind/position") (push (gethash "body" event) places)))))
(advice-add 'dap--on-event :before #'seen)

(defun wait-for (what done)
  (let ((end (+ (float-time) 60)) result)
    (while (and (not (setq result (funcall done))) (< (float-time) end))
      (accept-process-output nil 0.01))
    (or result (error "waited in vain for %s" what))))

(defun line-shown ()
  (let ((frame (dap--debug-session-active-frame (dap--cur-session))))
    (and frame (gethash "line" frame))))

(defun stop-of (what action)
  "Does ACTION, which ends in a stop that Emacs shows: (reason . place)."
  (let ((before (length places)))
    (funcall action)
    (wait-for what (lambda () (> (length places) before)))
    (let* ((place (car places)) (line (gethash "source_line" place)))
      (wait-for (format "the stop of %s" what)
                (lambda () (and (dap--debug-session-thread-id (dap--cur-session))
                                (or (not line) (eql line (line-shown))))))
      (unless (= (length stops) (length places) (1+ before)) (error "%s: a stop too many" what))
      (cons (gethash "reason" (car stops)) place))))

(defun hits (command)
  "Positions of the breakpoint's hits, up to the end that COMMAND leads to."
  (let (found stop)
    (while (not (equal (car (setq stop (stop-of "a breakpoint" (lambda () (call-interactively command)))))
                       "history boundary"))
      (unless (and (equal (car stop) "breakpoint") (eql (gethash "source_line" (cdr stop)) sold))
        (error "not a hit: %S" (car stop)))
      (push (gethash "position" (cdr stop)) found))
    (nreverse found)))

(defun say (&rest words) (princ (concat (apply #'format words) "\n")))

(find-file "desk.c")
(goto-char (point-min))
(forward-line (1- sold))
(dap-breakpoint-add)
(let ((stop (stop-of "the launch"
                     (lambda () (dap-debug (copy-tree (cdr (assoc "Recording" dap-debug-template-configurations))))))))
  (unless (and (equal (car stop) "entry") (eql (gethash "position" (cdr stop)) 0)) (error "not at entry: %S" stop)))
(say "stopped at entry")
(let ((there (hits #'dap-continue)) (back (hits #'rewind-reverse)))
  (unless (and (= (length there) 4) (equal (reverse back) there)) (error "%S, %S" there back)))
(say "4 hits forward, 4 back")
(stop-of "the first one" (lambda () (call-interactively #'dap-continue)))
(stop-of "a step" (lambda () (call-interactively #'dap-next)))
(unless (eql (line-shown) (1+ sold)) (error "a step to line %S" (line-shown)))
(stop-of "a step back" (lambda () (call-interactively #'rewind-step-back)))
(unless (and (eql (line-shown) sold) (eql (line-number-at-pos) sold)) (error "back to line %S" (line-shown)))
(say "a step, and back")
(defun children (pid)
  (ignore-errors
    (with-temp-buffer
      (insert-file-contents (format "/proc/%d/task/%d/children" pid pid))
      (mapcar #'string-to-number (split-string (buffer-string))))))

;; dap-mode ends an adapter by a signal.
(let* ((process (dap--debug-session-proc (dap--cur-session)))
       (adapter (car (children (process-id process)))))
  (unless adapter (error "rewind dap has no child"))
  (call-interactively #'dap-disconnect)
  (wait-for "the end of rewind dap" (lambda () (not (process-live-p process))))
  (wait-for "the end of lldb-dap" (lambda () (not (file-exists-p (format "/proc/%d/exe" adapter))))))
(say "nobody is left")
