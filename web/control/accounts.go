package control

import (
	"context"

	"sandtable/web/client"
)

// Keys are the keys of an account, in Base64. A missing one is "".
type Keys struct {
	Primary   string `json:"primary"`
	Secondary string `json:"secondary"`
}

// Keys asks for the keys of an account.
func (c *Client) Keys(ctx context.Context, account string) (keys Keys, err error) {
	err = c.call(ctx, client.MethodGet, "/accounts/"+account+"/keys", nil, &keys)
	return keys, err
}

// RegenerateKey replaces the "primary" or the "secondary" key of an account.
// What was signed with the old one is refused from then on.
func (c *Client) RegenerateKey(ctx context.Context, account, which string) (keys Keys, err error) {
	err = c.send(ctx, client.MethodPost, "/accounts/"+account+"/keys", map[string]string{"regenerate": which}, &keys)
	return keys, err
}

// SetAccess makes an account "open" or "strict".
func (c *Client) SetAccess(ctx context.Context, account, access string) error {
	return c.send(ctx, client.MethodPatch, "/accounts/"+account, map[string]string{"access": access}, nil)
}

// DeleteAccount deletes an account with its tables.
func (c *Client) DeleteAccount(ctx context.Context, account string) error {
	return c.call(ctx, client.MethodDelete, "/accounts/"+account, nil, nil)
}

// Settings are the store's settings that the page shows. SetSettings leaves a nil one
// unchanged.
type Settings struct {
	Durability    *string `json:"durability,omitempty"`
	RecordBodies  *bool   `json:"recordBodies,omitempty"`
	TableDeletion *string `json:"tableDeletion,omitempty"` // how long a deleted table's name is blocked, such as "40s"
}

// Settings returns the settings of the store.
func (c *Client) Settings(ctx context.Context) (s Settings, err error) {
	err = c.call(ctx, client.MethodGet, "/settings", nil, &s)
	return s, err
}

// SetSettings changes some of them, and returns all.
func (c *Client) SetSettings(ctx context.Context, change Settings) (s Settings, err error) {
	err = c.send(ctx, client.MethodPatch, "/settings", change, &s)
	return s, err
}
