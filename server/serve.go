package server

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"sandtable/odata"
	"sandtable/server/auth"
	"sandtable/server/message"
)

// Serve answers one request.
func (h *Handler) Serve(w message.ResponseWriter, in *message.Request) {
	x := h.newExchange(in)
	defer x.releaseBody()
	done := x.guarded()
	x.allowOrigin(done)
	if x.severs() {
		x.sever(done)
	}
	x.write(w, done)
	x.observe(w.Header(), done)
	done.release()
}

// guarded answers the request, and turns a panic into an internal error:
// nothing was changed, and the server continues.
func (x *exchange) guarded() (done *reply) {
	defer func() {
		if fault := recover(); fault != nil {
			done = x.fail(x.protocol, fmt.Errorf("panic: %v\n%s", fault, debug.Stack()))
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
		path: x.endpoint.path, query: x.query, queryErr: x.queryErr, header: x.http.Header,
	}
}

// answerOne runs any operation except an entity group transaction.
func (x *exchange) answerOne(r *request) *reply {
	if err := r.admit(); err != nil {
		return x.fail(r.protocol, err)
	}
	done, err := x.perform(r)
	if err != nil {
		done = x.fail(r.protocol, err)
	}
	done.operation, done.requestBody = r.operation.name, r.body
	return done
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
	if x.command, err = r.prepare(); err != nil {
		return nil, err
	}
	x.scope = Scope{Account: r.account, Table: r.path.Table, Query: x.command.query}
	if x.command.keyed {
		x.key[0] = x.command.key
		x.scope.Keys = x.key[:]
	}
	if err := x.inject(r.operation, r.operation.writes, &x.scope); err != nil {
		return nil, err
	}
	if r.operation.writes {
		err = x.store.Update(x.http.Context, &x.scope, x.run)
	} else {
		err = x.view(x.http.Context, &x.scope, x.run)
	}
	if err != nil {
		return nil, err
	}
	if x.done.deletedTable != "" {
		x.deleted.add(r.account, x.done.deletedTable)
	}
	x.charge(x.done.statistics.Returned)
	return &x.done, nil
}

// run runs the command of the only operation of a request.
func (x *exchange) run(tx Tx) error {
	table, err := x.request.openTable(tx)
	if err == nil {
		x.done, err = x.command.run(tx, table)
	}
	return err
}

// maxReason limits the texts of a record that quote the request, in bytes.
const maxReason = 4 << 10

// observe hands the record of a finished request to the observers.
func (x *exchange) observe(header message.Header, done *reply) {
	if len(x.options.Observers) == 0 {
		return
	}
	record := &Record{
		Time: x.started, Duration: x.options.Now().Sub(x.started), Request: x.http, RequestID: x.id,
		Account: x.endpoint.account, Operation: done.operation, Status: done.status, Code: done.errorCode,
		Table: x.scope.Table, Members: done.members,
		Statistics: done.statistics, Fault: x.fault(), RequestBody: done.requestBody, ResponseHeader: header, ResponseBody: done.body,
	}
	if key, ok := x.scope.partition(); ok {
		record.Partition = &key
	}
	if done.err != nil {
		record.Reason = cut(done.err.Error())
		var refusal *auth.Refusal
		if errors.As(done.err, &refusal) {
			record.StringToSign, record.Signed = cut(refusal.StringToSign), cut(refusal.Signed)
		}
	}
	for _, o := range x.options.Observers {
		o.Finished(record)
	}
}

func cut(text string) string { return strings.Clone(text[:min(len(text), maxReason)]) }
