package server

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/server/auth"
	"sandtable/server/message"
)

// Serve answers one request.
func (h *Handler) Serve(w message.ResponseWriter, in *message.Request) {
	x := h.newExchange(in)
	defer x.releaseMemory()
	out := x.guarded()
	x.allowOrigin(out)
	if x.severs() {
		x.sever(out)
	}
	x.write(w, out)
	x.observe(w.Header(), out)
	out.release()
}

// guarded answers the request, and turns a panic into an internal error:
// nothing was changed, and the server continues.
func (x *exchange) guarded() (out *reply) {
	defer func() {
		if fault := recover(); fault != nil {
			out = x.fail(x.protocol, fmt.Errorf("panic: %v\n%s", fault, debug.Stack()))
		}
	}()
	return x.answer()
}

// answer takes a request through its stages: endpoint, version and
// representation, account and grant, operation, command. The first stage that
// refuses it gives the answer.
//
// Source: observed precedence of errors.
func (x *exchange) answer() *reply {
	x.receive()
	if x.http.LengthMissing && (x.http.Method == message.MethodPost || x.http.Method == message.MethodPut) {
		return x.fail(x.protocol, errLengthMissing)
	}
	if err := x.locate(); err != nil {
		return x.fail(x.protocol, err)
	}
	if x.http.Method == message.MethodOptions {
		if x.http.Header.Get(onlyHeader) != "" { // the header allows named operations alone, and a preflight is not one
			return x.fail(x.protocol, auth.ErrPermissionMismatch)
		}
		return x.preflight()
	}
	s, r := &x.session, &x.request
	var err error
	if *s, err = x.authenticate(); err != nil {
		return x.fail(x.protocol, err)
	}
	switch err := r.read(s, x.protocol, x.line()); {
	case err != nil:
		return x.fail(x.protocol, err)
	case r.path.Resource == odata.BatchResource:
		return x.answerBatch(r)
	}
	return x.answerOne(r)
}

// line is the request line of the whole request.
func (x *exchange) line() requestLine {
	return requestLine{
		method: x.http.Method, overrides: x.http.Header.Values("X-HTTP-Method"),
		base: x.endpoint.base, path: x.endpoint.path, query: x.query, queryErr: x.queryErr, header: x.http.Header,
	}
}

// answerOne runs any operation except an entity group transaction.
func (x *exchange) answerOne(r *request) *reply {
	if err := r.admit(); err != nil {
		return x.fail(r.protocol, err)
	}
	out, err := x.perform(r)
	if err != nil {
		out = x.fail(r.protocol, err)
	}
	out.operation, out.requestBody = r.operation.name, r.body
	return out
}

// perform reads the body, prepares the command and runs it in a transaction.
func (x *exchange) perform(r *request) (*reply, error) {
	if r.operation.writes && r.secondary {
		return nil, errSecondaryWrite
	}
	if err := r.checkContentType(); err != nil {
		return nil, err
	}
	var err error
	if r.body, err = x.readBody(); err != nil {
		return nil, err
	}
	x.command, err = r.prepare()
	refused := errors.Is(err, payload.ErrKeyMissing) && !r.cosmos
	if missing := err; refused {
		// The service looks for the table first.
		x.command, err = command{run: func(Tx, Table) (reply, error) { return reply{}, missing }}, nil
	}
	if err != nil {
		return nil, err
	}
	x.scope = Scope{Account: r.account, Table: r.path.Table, Query: x.command.query}
	if x.command.keyed {
		x.key[0] = x.command.key
		x.scope.Keys = x.key[:]
	}
	if !refused {
		if err := x.inject(r.operation, r.operation.writes, &x.scope); err != nil {
			return nil, err
		}
	}
	if r.operation.writes {
		err = x.store.Update(x.http.Context, &x.scope, x.run)
	} else {
		err = x.view(x.http.Context, &x.scope, x.run)
		if err == nil && !x.replyShare.reserveReply(x.reply.body) {
			err = errBusy
		}
	}
	if err != nil {
		return nil, err
	}
	if x.reply.deletedTable != "" {
		x.deleted.add(r.account, x.reply.deletedTable)
	}
	x.charge(x.reply.statistics.Returned)
	return &x.reply, nil
}

// run runs the command of the only operation of a request.
func (x *exchange) run(tx Tx) error {
	table, err := x.request.openTable(tx)
	if err == nil {
		x.reply, err = x.command.run(tx, table)
	}
	return err
}

// maxReason limits the texts of a record that quote the request, in bytes.
const maxReason = 4 << 10

// observe hands the record of a finished request to the observers.
func (x *exchange) observe(header message.Header, out *reply) {
	if len(x.options.Observers) == 0 {
		return
	}
	record := &Record{
		Time: x.started, Duration: x.options.Now().Sub(x.started), Request: x.http, RequestID: x.id,
		Account: x.endpoint.account, Operation: out.operation, Status: out.status, Code: out.errorCode,
		Table: cmp.Or(x.scope.Table, x.command.table), Members: out.members,
		Statistics: out.statistics, Fault: x.fault(), RequestBody: out.requestBody, ResponseHeader: header, ResponseBody: out.body,
	}
	if key, ok := x.scope.partition(); ok {
		record.Partition = &key
	}
	if out.err != nil {
		record.Reason = cut(out.err.Error())
		var refusal *auth.Refusal
		if errors.As(out.err, &refusal) {
			record.StringToSign, record.Signed = cut(refusal.StringToSign), cut(refusal.Signed)
		}
	}
	for _, o := range x.options.Observers {
		o.Finished(record)
	}
}

func cut(text string) string { return strings.Clone(text[:min(len(text), maxReason)]) }
